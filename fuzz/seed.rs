//! Writes what each target starts from into `corpus/`: short texts of every format, and the real files of a folder that
//! the variable `JACKFIELD_CORPUS` names.

use std::fs;
use std::path::{Path, PathBuf};

use jackfield_config::host::Format;
use jackfield_fuzz::{SEPARATOR, every_source};

const JSON: &str = include_str!("seeds/servers.jsonc");
const TOML: &str = include_str!("seeds/servers.toml");
const YAML: &str = include_str!("seeds/servers.yaml");
const PASTED: &str = include_str!("seeds/pasted.txt");
const REGISTRY: &str = include_str!("../tests/fakes/registry.json");

fn main() -> std::io::Result<()> {
    let mut files = vec![(0, JSON.as_bytes().to_vec()), (1, TOML.as_bytes().to_vec()), (2, YAML.as_bytes().to_vec())];
    if let Some(folder) = std::env::var_os("JACKFIELD_CORPUS").map(PathBuf::from) {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let kind = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json" | "jsonc") => 0,
                Some("toml") => 1,
                Some("yaml" | "yml") => 2,
                _ => continue,
            };
            files.push((kind, fs::read(path)?));
        }
    } else {
        eprintln!("JACKFIELD_CORPUS is not set: no real files among the seeds");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut count = 0;
    let mut seed = |target: &str, bytes: &[&[u8]]| -> std::io::Result<()> {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        count += 1;
        fs::write(folder.join(format!("seed-{count}")), bytes.concat())
    };
    let format_of = |kind: u8, format: Format| {
        matches!((kind, format), (0, Format::Json { .. }) | (1, Format::Toml) | (2, Format::Yaml))
    };
    let rest = format!("{SEPARATOR}mcpServers{SEPARATOR}zz new/command{SEPARATOR}npx");
    let draft = format!("{SEPARATOR}zz{SEPARATOR}npx{SEPARATOR}-y\u{1e}a b{SEPARATOR}A=1\u{1e}B=${{C}}");
    for (index, (kind, bytes)) in files.iter().enumerate() {
        let kind = *kind;
        let sources: Vec<u16> = (0_u16..)
            .zip(every_source())
            .filter(|(_, spec)| format_of(kind, spec.format))
            .map(|(number, _)| number)
            .collect();
        for step in 0..3 {
            let number = sources[(index * 3 + step) % sources.len()].to_le_bytes();
            seed("read", &[&number, &[7, 0], bytes])?;
            seed("plan", &[&number, &[0], bytes, draft.as_bytes()])?;
        }
        let code = [0, 2, 3][usize::from(kind)];
        seed("edit", &[&[code, 4], bytes, rest.as_bytes()])?;
        seed("import", &[&[1, 0], bytes])?;
    }
    for text in PASTED.split("\n---\n") {
        seed("import", &[&[1, 0], text.as_bytes()])?;
    }
    let registry: serde_json::Value = serde_json::from_str(REGISTRY)?;
    for answer in registry.as_array().into_iter().flatten().chain([&registry]) {
        seed("registry", &[answer.to_string().as_bytes()])?;
    }
    println!("{count} seeds in {}", folder.display());
    Ok(())
}
