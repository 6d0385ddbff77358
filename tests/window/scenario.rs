//! What a person does in the first five minutes.

use fantoccini::Locator;

use crate::app::{App, windows_of};
use crate::prepared::{Prepared, can_run, eventually, fake, fakes_of};

fn prepare(home: &Prepared) {
    let fake = fake();
    home.write(
        ".cursor/mcp.json",
        &format!(
            "{{\n  \"mcpServers\": {{\n    \"everything\": {{ \"command\": \"{fake}\", \"args\": [\"--tools\", \"14\"] }},\n    \
             \"absent\": {{ \"command\": \"no-such-program-anywhere\" }}\n  }}\n}}\n"
        ),
    );
    home.write(
        ".codex/config.toml",
        &format!("# mine\nmodel = \"o\"\n\n[mcp_servers.files]\ncommand = \"{fake}\"\nargs = []\n"),
    );
    home.write(
        ".xcsh/mcp.json",
        &format!(
            "{{\n  // native\n  \"mcpServers\": {{\n    \"memory\": {{\n      \"command\": \"{fake}\",\n      \"args\": [],\n    }},\n  }},\n}}\n"
        ),
    );
    home.write(
        ".gemini/settings.json",
        &format!("{{\"mcpServers\": {{\"time\": {{\"command\": \"{fake}\"}}}}}}"),
    );
    home.write(
        ".config/Code/User/mcp.json",
        &format!("{{\"servers\": {{\"git\": {{\"type\": \"stdio\", \"command\": \"{fake}\"}}}}}}"),
    );
}

/// The lines of `after` that are not in `before`, and the other way round.
fn changed_lines(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let only = |a: &str, b: &str| {
        let other: Vec<&str> = b.lines().collect();
        a.lines().filter(|line| !other.contains(line)).map(str::to_owned).collect()
    };
    (only(before, after), only(after, before))
}

#[tokio::test]
async fn a_first_start_asks_then_connects_toggles_and_follows_the_files() {
    if !can_run() {
        return;
    }
    let home = Prepared::new("first");
    prepare(&home);
    let app = App::open(&home.home(), &[]).await;

    // The welcome lists what was found and has started nothing.
    app.until("body", "the welcome", |text| {
        text.contains("Welcome to Jackfield") && text.contains("everything") && text.contains("files")
    })
    .await;
    assert_eq!(fakes_of(&home.home()), 0, "a first start connects nothing until asked");
    app.picture("window-welcome").await;
    let all = "//button[contains(., 'Connect all')]";
    app.client.find(Locator::XPath(all)).await.expect("the button").click().await.expect("a click");
    app.until(".list-column", "five connected", |text| text.contains("5 connected")).await;
    assert!(home.read(".config/jackfield/settings.json").contains("\"connect_at_start\": \"all\""));
    app.until(".list-column", "why the sixth is not", |text| text.contains("no-such-program-anywhere")).await;
    app.picture("window-connected").await;

    // A switch of Codex changes one line of its file, and the state.
    let before = home.read(".codex/config.toml");
    app.click("[role=switch][aria-label='files enabled']").await;
    app.until(".list-column", "four connected", |text| text.contains("4 connected")).await;
    let after = home.read(".codex/config.toml");
    assert_eq!(changed_lines(&before, &after), (vec![], vec!["enabled = false".to_owned()]));
    app.click("[role=switch][aria-label='files enabled']").await;
    app.until(".list-column", "five again", |text| text.contains("5 connected")).await;
    assert_eq!(home.read(".codex/config.toml"), before, "the bytes return");

    // xcsh's too.
    let before = home.read(".xcsh/mcp.json");
    app.click("[role=switch][aria-label='memory enabled']").await;
    app.until(".list-column", "four connected", |text| text.contains("4 connected")).await;
    let (gone, come) = changed_lines(&before, &home.read(".xcsh/mcp.json"));
    assert_eq!((gone, come.len()), (vec![], 1));
    app.click("[role=switch][aria-label='memory enabled']").await;
    app.until(".list-column", "five again", |text| text.contains("5 connected")).await;
    assert_eq!(home.read(".xcsh/mcp.json"), before);

    // Cursor has no switch: the denylist, and the window says so.
    let cursor = home.read(".cursor/mcp.json");
    app.click("[role=switch][aria-label='everything enabled']").await;
    app.until("body", "what it means", |text| text.contains("Cursor still starts it itself")).await;
    assert!(home.read(".xcsh/mcp.json").contains("\"disabledServers\""));
    assert_eq!(home.read(".cursor/mcp.json"), cursor, "the host's file is not touched");
    app.picture("window-denied").await;

    // An edit from outside appears without a click.
    let renamed =
        cursor.replace("\"absent\"", "\"renamed-outside\"").replace("no-such-program-anywhere", &fake());
    std::fs::write(home.path(".cursor/mcp.json.new"), renamed).expect("written");
    std::fs::rename(home.path(".cursor/mcp.json.new"), home.path(".cursor/mcp.json")).expect("renamed");
    app.until(".list-column", "the new name", |text| {
        text.contains("renamed-outside") && text.contains("5 connected")
    })
    .await;

    app.close().await;
    eventually("a closed window leaves no server", || fakes_of(&home.home()) == 0);
}

#[tokio::test]
async fn a_folder_on_the_command_line_is_the_project_and_its_servers_wait_for_approval() {
    if !can_run() {
        return;
    }
    let home = Prepared::new("project");
    home.write(".config/jackfield/settings.json", "{ \"connect_at_start\": \"all\" }");
    let marker = home.path("ran");
    home.write(
        "code/shop/.mcp.json",
        &format!(
            "{{\"mcpServers\": {{\"deploy\": {{\"command\": \"sh\", \"args\": [\"-c\", \"touch {}; exec {}\"]}}}}}}",
            marker.display(),
            fake()
        ),
    );
    let project = home.path("code/shop").display().to_string();
    let app = App::open(&home.home(), &[&project]).await;
    app.until("body", "the project", |text| text.contains("code/shop")).await;
    app.until(".list-column", "the reason", |text| text.contains("Review it before it runs")).await;
    assert!(!marker.exists(), "nothing of it ran");
    app.client
        .find(Locator::XPath("//button[contains(@aria-label, 'Review')]"))
        .await
        .expect("the button")
        .click()
        .await
        .expect("a click");
    app.until("body", "exactly what would run", |text| text.contains("touch")).await;
    app.picture("window-review").await;
    assert!(!marker.exists(), "looking at it runs nothing");
    let approve = "//button[contains(., 'Approve')]";
    app.client.find(Locator::XPath(approve)).await.expect("the button").click().await.expect("a click");
    app.until(".list-column", "it runs", |text| text.contains("1 connected")).await;
    assert!(marker.exists());
    app.close().await;
    eventually("a closed window leaves no server", || fakes_of(&home.home()) == 0);
}

#[tokio::test]
async fn a_killed_window_leaves_no_server() {
    if !can_run() {
        return;
    }
    let home = Prepared::new("killed");
    home.write(".config/jackfield/settings.json", "{ \"connect_at_start\": \"all\" }");
    // Wrapped twice, and deaf to everything that asks politely.
    let wrapped = format!("sh -c '{} --ignore-eof --ignore-term; true'; true", fake());
    home.write(
        ".cursor/mcp.json",
        &serde_json::json!({"mcpServers": {"stubborn": {"command": "sh", "args": ["-c", wrapped]}}})
            .to_string(),
    );
    let app = App::open(&home.home(), &[]).await;
    app.until(".list-column", "it runs", |text| text.contains("1 connected")).await;
    assert!(fakes_of(&home.home()) > 0);
    for window in windows_of(&home.home()) {
        let pid = rustix::process::Pid::from_raw(window).expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("killed");
    }
    eventually("a killed window leaves no server", || fakes_of(&home.home()) == 0);
    app.close().await;
}
