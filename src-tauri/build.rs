//! Lists the commands of the window: what is not listed here and allowed in `capabilities/` is refused.

#![expect(clippy::expect_used, reason = "a build script has nobody to return an error to")]

fn main() {
    let commands = tauri_build::AppManifest::new().commands(&["rpc", "subscribe"]);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands)).expect("tauri-build");
}
