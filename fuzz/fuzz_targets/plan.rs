//! A server is added to any file of any tool, read back, and removed: the bytes return.

#![no_main]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use jackfield_config::HttpProtocol;
use jackfield_config::draft::{Draft, DraftTransport};
use jackfield_config::edit::{self, plan};
use jackfield_config::source::{ReadState, SourceText};
use jackfield_fuzz::{HOME, applied, catalog, parts, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u8, &str)| {
    let (number, flags, rest) = input;
    let [text, name, first, words, pairs] = parts(rest);
    let home = Path::new(HOME);
    let spec = source(number);
    let pairs = pairs.split('\u{1e}').filter_map(|pair| pair.split_once('='));
    let pairs: Vec<_> = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let transport = if flags & 1 != 0 {
        DraftTransport::Http { url: first.to_owned(), headers: pairs, protocol: HttpProtocol::Streamable }
    } else {
        DraftTransport::Stdio {
            command: first.to_owned(),
            args: words.split('\u{1e}').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            env: pairs,
            cwd: (flags & 2 != 0).then(|| "/tmp".to_owned()),
        }
    };
    let timeout = (flags & 4 != 0).then(|| Duration::from_secs(u64::from(flags)));
    let draft = Draft { name: name.to_owned(), transport, enabled: flags & 8 == 0, timeout };
    let Ok(text) = SourceText::decode(text.as_bytes()) else { return };
    let before = catalog(spec, &text);
    let Ok(planned) = plan::add(&before, &spec.id, &draft, home) else { return };
    let Some(added) = applied(&text.text, &planned.edits) else { return };

    let with = SourceText { text: added.clone(), encoding: text.encoding };
    let after = catalog(spec, &with);
    assert!(after.sources.iter().all(|source| source.state == ReadState::Read), "it reads: {added}");
    let Some(entry) = after.entries.iter().find(|entry| entry.definition.name == draft.name) else {
        panic!("`{}` is not there after it was added, to {} of {}: {added}", draft.name, spec.path.display(), spec.host.id);
    };
    assert_same(&Draft::of(&entry.definition), &draft, &added);
    let Ok(planned) = plan::remove(&after, entry, home) else { return };
    let Some(back) = applied(&added, &planned.edits) else { panic!("it is not removed again from {added}") };
    if !text.text.trim().is_empty() && before.sources.iter().all(|source| source.state == ReadState::Read) {
        // What white space an empty object held is for the writer to remember.
        let root = &entry.definition.source.root;
        let blank = edit::blank(&text.text, spec.format, root);
        let back = blank.and_then(|blank| edit::with_blank(&back, spec.format, root, blank)).unwrap_or(back);
        // Objects on the way that had to be made stay.
        let made = back.len() > text.text.len();
        assert!(made || back == text.text, "{back:?} by way of {added:?}");
    }
});

/// What was written is what is read.
fn assert_same(read: &Draft, written: &Draft, text: &str) {
    match (&read.transport, &written.transport) {
        (
            DraftTransport::Stdio { command, args, env, .. },
            DraftTransport::Stdio { command: was, args: were, env: had, .. },
        ) => {
            assert_eq!((command, args), (was, were), "in {text}");
            assert_eq!(sorted(env), sorted(had), "in {text}");
        }
        (DraftTransport::Http { url, headers, .. }, DraftTransport::Http { url: was, headers: had, .. }) => {
            assert_eq!(url, was, "in {text}");
            assert_eq!(sorted(headers), sorted(had), "in {text}");
        }
        (read, written) => panic!("{written:?} became {read:?} in {text}"),
    }
}

/// The last of a name counts.
fn sorted(pairs: &[(String, String)]) -> BTreeMap<&str, &str> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
