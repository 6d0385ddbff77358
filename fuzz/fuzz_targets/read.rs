//! Any bytes as the file of any source: read, merged, shown, drafted and translated without a panic.

#![no_main]

use std::path::Path;

use jackfield_config::draft::Draft;
use jackfield_config::edit::toggle;
use jackfield_config::source::SourceText;
use jackfield_config::{Transport, mask, write};
use jackfield_fuzz::{HOME, applied, catalog, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u16, &[u8])| {
    let (number, other, bytes) = input;
    let spec = source(number);
    let Ok(text) = SourceText::decode(bytes) else { return };
    let encoded = text.encode();
    assert_eq!(SourceText::decode(&encoded).as_ref(), Ok(&text), "what is written reads back");
    let catalog = catalog(spec, &text);
    for finding in &catalog.diagnostics {
        assert!(!finding.title.is_empty());
    }
    let target = source(other);
    for entry in &catalog.entries {
        let definition = &entry.definition;
        let draft = Draft::of(definition);
        let _ = write::check(&draft, spec);
        let (moved, _) = write::translate(definition, target);
        let _ = write::check(&moved, target);
        let _ = write::entry(&moved, target);
        match &definition.transport {
            Transport::Stdio { args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| arg.raw.clone()).collect();
                assert_eq!(mask::args(&args).len(), args.len());
            }
            Transport::Http { url, .. } => drop(mask::url(&url.raw)),
            Transport::Unknown => {}
        }
        for on in [false, true] {
            if let Ok(edits) = toggle::plan(&catalog, entry, on, &toggle::NoPast) {
                let _ = toggle::outcome(definition, &edits, on, Path::new(HOME));
                if edits.iter().all(|edit| edit.path == spec.path) {
                    let _ = applied(&text.text, &edits);
                }
            }
        }
    }
    let _ = mask::spans(&text.text, spec.format);
});
