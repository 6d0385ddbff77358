//! Any change to any text: it is refused, or what comes out is proved inside; and what was put in comes out again
//! without a trace.

#![no_main]

use jackfield_config::edit::{Change, EditError, Missing, Place, Target, apply, blank, check, with_blank};
use jackfield_config::host::Format;
use jackfield_fuzz::parts;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: (u8, u8, &str)| {
    let (kind, flags, rest) = input;
    let format = match kind & 3 {
        0 => Format::JSONC,
        1 => Format::STRICT_JSON,
        2 => Format::Toml,
        _ => Format::Yaml,
    };
    let [text, root, keys, value] = parts(rest);
    let path = |text: &str| text.split('/').filter(|key| !key.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let target = Target { root: path(root), keys: path(keys), list: flags & 1 != 0 };
    if target.keys.is_empty() {
        return;
    }
    let place = if flags & 2 != 0 { Place::First } else { Place::Last };
    let missing = if flags & 4 != 0 { Missing::Create } else { Missing::Refuse };
    let change = match (kind >> 2) % 5 {
        0 => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            Change::Set { target: target.clone(), value, place, missing }
        }
        1 => Change::Remove { target: target.clone() },
        2 => Change::Rename { target: target.clone(), to: value.to_owned() },
        3 => Change::ListAdd { target: target.clone(), item: value.to_owned() },
        _ => Change::ListRemove { target: target.clone(), item: value.to_owned(), prune: None },
    };
    let Ok(edited) = apply(text, format, &change) else { return };
    assert!(check(&edited.text, format).is_ok(), "it still parses: {}", edited.text);
    let made_only_this = edited.inserted && edited.created.as_ref() == Some(&target.path());
    // Where there is nothing but comments, the end of the line stays that had to be made.
    let something = text.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '/', '%', '-']));
    if matches!(change, Change::Set { .. }) && made_only_this && something {
        let mut parent = target.path();
        parent.pop();
        match apply(&edited.text, format, &Change::Remove { target }) {
            Ok(back) => {
                // What white space an empty object held is for the writer to remember.
                let blank = blank(text, format, &parent);
                let refilled = blank.and_then(|blank| with_blank(&back.text, format, &parent, blank));
                assert_eq!(refilled.unwrap_or(back.text), text, "by way of {}", edited.text);
            }
            // A name that is there twice after all, or a shape that only a person may touch.
            Err(EditError::Duplicated { .. } | EditError::Unsupported { .. }) => {}
            Err(error) => panic!("{error}, in {}", edited.text),
        }
    }
});
