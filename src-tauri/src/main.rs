//! The desktop shell: a window, one command, one channel of changes. What is asked is the API's business.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod args;
mod backend;
mod desktop;

use std::process::ExitCode;

use tauri::Manager as _;

use crate::args::Start;
use crate::backend::Backend;

/// The exit code for "a service needed is not available" (sysexits.h).
const NO_DISPLAY: u8 = 69;

fn main() -> ExitCode {
    // As the guard this is another program, without a window.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "__guard") {
        return jackfield_guard::main_from(words.collect());
    }
    let start = match args::parse(std::env::args_os().skip(1)) {
        Ok(start) => start,
        Err(message) => return refuse(&message, 2),
    };
    let start = match start {
        Start::Window { project } => project,
        Start::Told(text) => return told(&text),
    };
    // Tauri panics where there is no display; say it in a line instead.
    #[cfg(target_os = "linux")]
    if gtk::init().is_err() {
        return refuse("cannot open a display; `jackfield list` does the same in a terminal", NO_DISPLAY);
    }
    start_log();
    match run(start) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error.to_string(), 1),
    }
}

fn run(project: Option<std::path::PathBuf>) -> tauri::Result<()> {
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, argv, cwd| {
            if let Some(window) = app.get_webview_window("main") {
                let _ = window.unminimize();
                let _ = window.show();
                let _ = window.set_focus();
            }
            // A second start with a folder opens it in the running one.
            let words = argv.into_iter().skip(1).map(Into::into);
            if let Ok(Start::Window { project: Some(project) }) = args::parse(words) {
                let project = std::path::Path::new(&cwd).join(project);
                let backend = app.state::<Backend>().inner().clone();
                tauri::async_runtime::spawn(async move { backend.open_project(project).await });
            }
        }))
        .plugin(tauri_plugin_shell::init())
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(tauri::generate_handler![backend::rpc, backend::subscribe])
        .setup(move |app| {
            app.manage(Backend::start(app.handle().clone(), project));
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|app, event| {
        if let tauri::RunEvent::Exit = event {
            // Sessions get their goodbye; whoever does not listen is ended by its guard.
            let backend = app.state::<Backend>().inner().clone();
            tauri::async_runtime::block_on(backend.shutdown());
        }
    });
    Ok(())
}

fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("JACKFIELD_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp=off,notify=off"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
}

#[expect(clippy::print_stderr, reason = "there is no window yet to say it in")]
fn refuse(message: &str, code: u8) -> ExitCode {
    eprintln!("jackfield-desktop: {message}");
    ExitCode::from(code)
}

#[expect(clippy::print_stdout, reason = "the answer to --help and --version")]
fn told(text: &str) -> ExitCode {
    println!("{text}");
    ExitCode::SUCCESS
}
