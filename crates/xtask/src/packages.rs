//! The system's packages: what is missing, and how to get it. Whether something is there is asked of the thing
//! itself, not of the package manager, so that it may come from anywhere.

use std::path::Path;

use crate::command::{Res, Workspace};

pub(crate) struct Need {
    what: &'static str,
    there: There,
    /// Package names for apt, dnf and pacman.
    packages: [&'static str; 3],
}

enum There {
    /// One of these programs is on the PATH.
    Program(&'static [&'static str]),
    PkgConfig(&'static str),
    /// A library that is loaded at run time.
    Library(&'static str),
    PythonModules(&'static str),
}

pub(crate) const CHROMIUM: &[&str] =
    &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// To build and run the window. On other systems than Linux the compiler's own installation brings all of it.
pub(crate) const BUILD: &[Need] = &[
    Need {
        what: "a C compiler",
        there: There::Program(&["cc"]),
        packages: ["build-essential", "gcc", "base-devel"],
    },
    Need {
        what: "pkg-config",
        there: There::Program(&["pkg-config"]),
        packages: ["pkg-config", "pkgconf-pkg-config", "pkgconf"],
    },
    Need {
        what: "WebKitGTK 4.1 with headers",
        there: There::PkgConfig("webkit2gtk-4.1"),
        packages: ["libwebkit2gtk-4.1-dev", "webkit2gtk4.1-devel", "webkit2gtk-4.1"],
    },
    Need {
        what: "the library of the tray icon",
        there: There::Library("libayatana-appindicator3.so.1"),
        packages: ["libayatana-appindicator3-1", "libayatana-appindicator-gtk3", "libayatana-appindicator"],
    },
];

/// To run the tests as well.
pub(crate) const TEST: &[Need] = &[
    Need {
        what: "the driver for tests in the real window",
        there: There::Program(&["WebKitWebDriver"]),
        packages: ["webkit2gtk-driver", "webkit2gtk-driver", "webkit2gtk-4.1"],
    },
    Need {
        what: "a display without a screen",
        there: There::Program(&["Xvfb"]),
        packages: ["xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb"],
    },
    Need {
        what: "a browser for tests of the user interface",
        there: There::Program(CHROMIUM),
        packages: ["chromium", "chromium", "chromium"],
    },
    PYTHON,
];

/// For test servers that are written in Python, and to bring a Node.js where there is none.
pub(crate) const PYTHON: Need = Need {
    what: "Python 3 with venv and pip",
    there: There::PythonModules("import venv, ensurepip"),
    packages: ["python3-venv", "python3", "python"],
};

/// The package managers, in the order of [`Need::packages`].
const MANAGERS: [(&str, &str); 3] =
    [("apt-get", "apt-get install -y"), ("dnf", "dnf install"), ("pacman", "pacman -S --needed")];

/// Makes sure that all of `needs` is there: installs it on Debian and its relatives, elsewhere says what to do.
pub(crate) fn require(ws: &Workspace, needs: &[&Need]) -> Res<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let missing = |needs: &[&'static Need]| -> Vec<&'static Need> {
        needs.iter().copied().filter(|need| !is_there(ws, &need.there)).collect()
    };
    let needs: Vec<&'static Need> =
        all().filter(|need| needs.iter().any(|wanted| wanted.what == need.what)).collect();
    let absent = missing(&needs);
    if absent.is_empty() {
        return Ok(());
    }
    let list = absent.iter().map(|need| need.what).collect::<Vec<_>>().join(", ");
    let Some(manager) = MANAGERS.iter().position(|(program, _)| ws.find(&[program]).is_some()) else {
        return Err(format!(
            "missing: {list}. Install that with your system's package manager, then try again"
        ));
    };
    let packages: Vec<&str> = absent.iter().map(|need| need.packages[manager]).collect();
    let is_root = ws.output("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    let line =
        format!("{}{} {}", if is_root { "" } else { "sudo " }, MANAGERS[manager].1, packages.join(" "));
    if !ws.install || manager != 0 || !(is_root || ws.find(&["sudo"]).is_some()) {
        // Names differ between releases of the others; on Debian they are what our own CI installs.
        let advice = if manager == 0 { "This installs it" } else { "Try this, or what your system calls it" };
        return Err(format!("missing: {list}. {advice}:\n  {line}"));
    }
    eprintln!("==> installing what is missing: {list}");
    let apt = |args: &[&str]| {
        let mut words = if is_root { vec![] } else { vec!["sudo"] };
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]);
        words.extend(args);
        ws.run(ws.command(words[0]).args(&words[1..]))
    };
    apt(&["update"])?;
    apt(&[&["install", "--no-install-recommends"], packages.as_slice()].concat())?;
    match missing(&needs).first() {
        None => Ok(()),
        Some(need) => Err(format!("still missing after the installation: {}", need.what)),
    }
}

fn all() -> impl Iterator<Item = &'static Need> {
    BUILD.iter().chain(TEST)
}

fn is_there(ws: &Workspace, there: &There) -> bool {
    match there {
        There::Program(names) => ws.find(names).is_some(),
        There::PkgConfig(name) => ws.output("pkg-config", &["--exists", name]).is_some(),
        There::Library(name) => library_folders().iter().any(|folder| folder.join(name).exists()),
        There::PythonModules(import) => ws.output("python3", &["-c", import]).is_some(),
    }
}

fn library_folders() -> Vec<std::path::PathBuf> {
    let usr = Path::new("/usr/lib");
    // Debian: one folder for each architecture, such as x86_64-linux-gnu.
    let by_architecture = std::fs::read_dir(usr).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<_> = by_architecture.filter(|path| path.is_dir()).collect();
    folders.extend([usr.to_path_buf(), "/usr/lib64".into(), "/usr/local/lib".into()]);
    folders
}
