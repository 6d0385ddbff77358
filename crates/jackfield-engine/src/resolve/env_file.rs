//! Files of variables, as VS Code and Cursor read them with `envFile`.

/// The pairs of a file: one `NAME=value` a line, `#` comments, an `export` in front, quotes around the value. In double
/// quotes `\n` is a line end, `\"` and `\\` are themselves. Lines of another shape are skipped.
pub(super) fn parse(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(pair).collect()
}

fn pair(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    if line.starts_with('#') {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    is_name.then(|| (name.to_owned(), unquote(value.trim())))
}

fn unquote(value: &str) -> String {
    let within = |quote: char| {
        let body = value.strip_prefix(quote)?;
        let end = body.char_indices().find(|(at, c)| *c == quote && !body[..*at].ends_with('\\'))?.0;
        Some(&body[..end])
    };
    if let Some(body) = within('"') {
        let mut out = String::with_capacity(body.len());
        let mut chars = body.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => out.push('\n'),
                    Some(c @ ('"' | '\\')) => out.push(c),
                    Some(c) => out.extend(['\\', c]),
                    None => out.push('\\'),
                },
                (c, false) => out.push(c),
            }
        }
        return out;
    }
    if let Some(body) = within('\'') {
        return body.to_owned();
    }
    // A comment behind an unquoted value begins after a space.
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let text = "# comment\nA=1\r\n export B = two words # why\nC=\"x\\ny \\\"q\\\" #no\"\nD='$raw'\n\nnot a pair\nE=\n=x\nF=a=b";
        let got = parse(text);
        let want =
            [("A", "1"), ("B", "two words"), ("C", "x\ny \"q\" #no"), ("D", "$raw"), ("E", ""), ("F", "a=b")];
        assert_eq!(got, want.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
