//! Whatever is pasted: recognised or not, and what is recognised can be written into any tool's file.

#![no_main]

use std::path::Path;

use jackfield_config::edit::plan;
use jackfield_config::import::recognise;
use jackfield_config::source::SourceText;
use jackfield_config::{host, write};
use jackfield_fuzz::{HOME, applied, catalog, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &str)| {
    let (number, text) = input;
    let spec = source(number);
    match recognise(text) {
        Ok(import) => {
            assert!(!import.drafts.is_empty() && !import.what.is_empty());
            for imported in import.drafts {
                let draft = match imported.host.and_then(|id| host::by_id(id)) {
                    Some(from) => write::between(&imported.draft, from, spec).0,
                    None => imported.draft,
                };
                let empty = SourceText::decode(b"").unwrap_or_else(|error| panic!("{error}"));
                let before = catalog(spec, &empty);
                if let Ok(planned) = plan::add(&before, &spec.id, &draft, Path::new(HOME)) {
                    assert!(applied("", &planned.edits).is_some(), "{draft:?} in {}", spec.path.display());
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
