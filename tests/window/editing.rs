//! Files edited with the window alone: added, changed, copied to a second tool, broken from outside and restored.

use crate::app::App;
use crate::prepared::{Prepared, can_run, eventually, fake, fakes_of};

const XCSH: &str = ".xcsh/mcp.json";
const CURSOR: &str = ".cursor/mcp.json";

/// The button that does what a dialog is open for: its form can have others of the same word above.
fn dialog_button(word: &str) -> String {
    format!("(//dialog[@open]//button[normalize-space(.)='{word}'])[last()]")
}

#[tokio::test]
async fn a_server_is_added_changed_copied_and_brought_back() {
    if !can_run() {
        return;
    }
    let home = Prepared::new("editing");
    home.write(".config/jackfield/settings.json", "{ \"connect_at_start\": \"all\" }");
    let mine = "{\n  // mine\n  \"mcpServers\": {\n    \"old\": { \"command\": \"true\", \"enabled\": false }\n  }\n}\n";
    home.write(XCSH, mine);
    home.write(CURSOR, "{\"mcpServers\": {}}\n");
    let app = App::open(&home.home(), &[]).await;

    // Added, as it was found on a web page.
    app.press("//button[contains(., 'Add server')]").await;
    let line = format!("claude mcp add weather -e CITY=Bonn -- {} --tools 2", fake());
    app.fill("//dialog[@open]//textarea", &line).await;
    app.until("dialog[open]", "what will be written", |text| text.contains("\"weather\"")).await;
    app.picture("window-add").await;
    app.press(&dialog_button("Add")).await;
    app.until(".list-column", "it runs", |text| text.contains("weather") && text.contains("2 tools")).await;
    let added = home.read(XCSH);
    assert!(added.contains("// mine") && added.contains("\"CITY\": \"Bonn\""), "{added}");

    // Changed in the form.
    app.press("//*[@role='tab'][contains(., 'Config')]").await;
    let timeout = "//label[contains(., 'Timeout')]/following::input[1]";
    app.fill(timeout, "soon").await;
    app.until("body", "what is wrong", |text| text.contains("a whole number from 1")).await;
    app.picture("window-form-error").await;
    app.fill(timeout, "30000").await;
    app.press("//button[normalize-space(.)='Save']").await;
    app.until("body", "that it is saved", |text| text.contains("Edited weather")).await;
    assert!(home.read(XCSH).contains("\"timeout\": 30000"), "{}", home.read(XCSH));

    // Copied by the table of servers and tools.
    app.press("//nav//button[contains(., 'Servers and applications')]").await;
    app.until(".matrix", "the table", |text| text.contains("weather")).await;
    app.press("//*[@role='checkbox'][@aria-label='weather in Cursor: not there']").await;
    app.until("dialog[open]", "what is lost", |text| text.contains("Cursor has no timeout")).await;
    app.picture("window-copy").await;
    app.press(&dialog_button("Copy")).await;
    eventually("it is in Cursor's file", || home.read(CURSOR).contains("weather"));
    app.until(".matrix", "the tick", |text| text.contains("weather")).await;
    app.picture("window-matrix").await;

    // Broken from outside, and restored.
    let before = home.read(XCSH);
    std::fs::write(home.path(".xcsh/new"), "{ \"mcpServers\": ").expect("written");
    std::fs::rename(home.path(".xcsh/new"), home.path(XCSH)).expect("renamed");
    app.until("body", "that it is broken", |text| text.contains("does not parse any more")).await;
    app.picture("window-broken").await;
    app.press("//button[contains(., 'Restore…')]").await;
    app.picture("window-restore").await;
    app.press(&dialog_button("Restore")).await;
    eventually("it is as it was", || home.read(XCSH) == before);

    // All of it is in the history.
    app.press("//nav//button[contains(., 'History')]").await;
    app.until("body", "every change", |text| text.contains("Copied") && text.contains("Restored")).await;
    app.picture("window-history").await;
    app.close().await;
    eventually("a closed window leaves no server", || fakes_of(&home.home()) == 0);
}
