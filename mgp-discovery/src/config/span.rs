//! Maps paths to positions in the text, and back.

use super::path::{KeyPath, Step};
use std::ops::Range;
use toml::de::{DeArray, DeTable, DeValue};

/// The parsed text, with the place of every key and value.
pub(crate) struct Spans<'i>(DeTable<'i>);

impl<'i> Spans<'i> {
    /// Reads the text. Returns `None` if the text is not TOML, which the caller reports.
    pub(crate) fn read(text: &'i str) -> Option<Self> {
        DeTable::parse(text).ok().map(|table| Self(table.into_inner()))
    }

    /// Returns the table of the text.
    pub(crate) const fn table(&self) -> &DeTable<'i> {
        &self.0
    }

    /// Returns the position of the value at a path, or of its closest parent in the text.
    pub(crate) fn of(&self, path: &KeyPath) -> Range<usize> {
        let Some((Step::Key(first), rest)) = path.steps().split_first() else { return 0..0 };
        let Some((key, value)) = self.0.iter().find(|(key, _)| key.get_ref() == first) else { return 0..0 };
        let mut here = value.get_ref();
        // The span of a table is its header; the span of a key whose value is missing is more useful than the whole.
        let mut span = if rest.is_empty() { value.span() } else { key.span() };
        for step in rest {
            let next = match (step, here) {
                (Step::Key(name), DeValue::Table(table)) => {
                    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
                }
                (Step::Index(index), DeValue::Array(items)) => items.get(*index),
                _ => None,
            };
            let Some(next) = next else { break };
            span = next.span();
            here = next.get_ref();
        }
        span
    }

    /// Returns the path of the key or value at a place.
    pub(crate) fn path_at(&self, span: &Range<usize>) -> Option<KeyPath> {
        self.0.iter().find_map(|(key, value)| {
            let path = KeyPath::root().key(key.get_ref().as_ref());
            if &key.span() == span { Some(path) } else { find(value.get_ref(), &value.span(), path, span) }
        })
    }
}

/// Returns the text of a configuration with other strings at some paths; `None` if the text has no string there. Everything else stays as it is.
#[must_use]
pub fn replace_values(text: &str, changes: &[(KeyPath, String)]) -> Option<String> {
    let spans = Spans::read(text)?;
    let mut places: Vec<_> = changes.iter().map(|(path, value)| (spans.of(path), path, value)).collect();
    places.sort_by_key(|(place, ..)| place.start);
    let mut changed = text.to_owned();
    for (place, path, value) in places.into_iter().rev() {
        // The closest parent of a missing value is not at its path.
        if spans.path_at(&place)? != *path || !text[place.clone()].starts_with(['"', '\'']) {
            return None;
        }
        changed.replace_range(place, &toml::Value::String(value.clone()).to_string());
    }
    Some(changed)
}

/// Removes the value or key at a place from a table. Returns whether there was one.
pub(super) fn remove(table: &mut DeTable<'_>, span: &Range<usize>) -> bool {
    // The span of a list of tables is that of its first table.
    if table.iter_mut().any(|(_, value)| remove_in(value.get_mut(), span)) {
        return true;
    }
    let found = table.iter().find(|(key, value)| key.span() == *span || value.span() == *span);
    let found = found.map(|(key, _)| key.clone());
    found.is_some_and(|key| table.remove(&key).is_some())
}

fn remove_in(value: &mut DeValue<'_>, span: &Range<usize>) -> bool {
    match value {
        DeValue::Table(table) => remove(table, span),
        DeValue::Array(items) => {
            if items.iter_mut().any(|item| remove_in(item.get_mut(), span)) {
                return true;
            }
            if !items.iter().any(|item| item.span() == *span) {
                return false;
            }
            let mut kept = DeArray::new();
            items.iter().filter(|item| item.span() != *span).for_each(|item| kept.push(item.clone()));
            *items = kept;
            true
        }
        _ => false,
    }
}

fn find(value: &DeValue<'_>, at: &Range<usize>, path: KeyPath, span: &Range<usize>) -> Option<KeyPath> {
    let inner = match value {
        DeValue::Table(table) => table.iter().find_map(|(key, value)| {
            let path = path.key(key.get_ref().as_ref());
            if &key.span() == span { Some(path) } else { find(value.get_ref(), &value.span(), path, span) }
        }),
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(i, item)| find(item.get_ref(), &item.span(), path.index(i), span)),
        _ => None,
    };
    inner.or_else(|| (at == span).then_some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[servers]]\nid = \"a\"\n[servers.mgp]\nextensions = [\"x\", 7]\n";

    fn shown(path: &KeyPath) -> &'static str {
        &TEXT[Spans::read(TEXT).unwrap().of(path)]
    }

    #[test]
    fn a_path_leads_to_its_value_or_the_nearest_parent() {
        let server = KeyPath::root().key("servers").index(0);
        assert_eq!(shown(&server.key("id")), "\"a\"");
        assert_eq!(shown(&server.key("mgp").key("extensions").index(1)), "7");
        assert_eq!(shown(&server.key("command")), "[[servers]]");
    }

    #[test]
    fn strings_are_replaced_and_everything_else_stays() {
        let path = |keys: &[&str]| {
            keys.iter().fold(KeyPath::root().key("servers").index(0), |path, key| path.key(*key))
        };
        let text = "# é\n[[servers]]\nid = 'a' # first\nenv = { \"A B\" = \"1\", C = '\'\'\n2'\'\' }\n";
        let changes =
            [(path(&["env", "C"]), "${keyring:c}".to_owned()), (path(&["env", "A B"]), "\"q".to_owned())];
        assert_eq!(
            replace_values(text, &changes).unwrap(),
            "# é\n[[servers]]\nid = 'a' # first\nenv = { \"A B\" = '\"q', C = \"${keyring:c}\" }\n"
        );
        assert_eq!(replace_values(text, &[(path(&["env", "D"]), "x".to_owned())]), None);
        assert_eq!(replace_values(text, &[(path(&["env"]), "x".to_owned())]), None);
    }

    #[test]
    fn a_position_leads_back_to_its_path() {
        let spans = Spans::read(TEXT).unwrap();
        let path = KeyPath::root().key("servers").index(0).key("mgp").key("extensions").index(1);
        assert_eq!(spans.path_at(&spans.of(&path)), Some(path));
        let key = TEXT.find("extensions").unwrap();
        assert_eq!(spans.path_at(&(key..key + 10)).unwrap().to_string(), "servers[0].mgp.extensions");
    }
}
