//! The fields of a form, or of the query of an address.

/// Fields by name, in their order. A name may occur several times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads `application/x-www-form-urlencoded`.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// Returns the first value of a field that is not empty.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(found, value)| found == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the values of a field that are not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(found, value)| found == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// Returns all fields with their values, empty ones too.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns whether a field is there and not empty, such as a checked box.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.one(name).is_some()
    }

    /// Returns the value of a field as a text with line feeds, as files have them. Browsers send other line ends.
    pub(crate) fn text(&self, name: &str) -> String {
        self.one(name).unwrap_or_default().replace("\r\n", "\n")
    }

    /// Returns the lines of the values of a field that are not blank.
    pub(crate) fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.all(name).flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty())
    }

    /// Returns the fields whose names have a beginning, with the rest of their names, if they are not empty.
    pub(crate) fn under<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let named =
            move |(name, value): &'a (String, String)| Some((name.strip_prefix(beginning)?, value.as_str()));
        self.0.iter().filter_map(named).filter(|(_, value)| !value.is_empty())
    }

    /// Returns the address of a page with these fields, of which one is replaced.
    pub(crate) fn with(&self, path: &str, name: &str, value: Option<&str>) -> String {
        let kept = self.0.iter().filter(|(found, value)| found != name && !value.is_empty());
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(kept);
        if let Some(value) = value {
            query.append_pair(name, value);
        }
        match query.finish() {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }
}

/// Returns an address with one field.
pub(crate) fn link(path: &str, name: &str, value: &str) -> String {
    Form::default().with(path, name, Some(value))
}

/// Returns an address with several fields, without those that are empty.
pub(crate) fn address(path: &str, fields: &[(&str, &str)]) -> String {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    // No field has an empty name, so none is replaced.
    Form(fields.iter().map(owned).collect()).with(path, "", None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_are_missing_fields() {
        let form = Form::parse(b"a=1&b=&a=2&c=%3Cb%3E+x");
        assert_eq!((form.one("a"), form.one("b"), form.one("c")), (Some("1"), None, Some("<b> x")));
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert!(form.has("c") && !form.has("b") && !form.has("d"));
    }

    #[test]
    fn a_text_has_line_feeds_and_its_lines_no_blanks() {
        let form = Form::parse(b"text=a%0D%0A%0D%0A+b%0D%0A&set.KEY=1&set.=&set.B=&other=2");
        assert_eq!(form.text("text"), "a\n\n b\n");
        assert_eq!(form.text("none"), "");
        assert_eq!(form.lines("text").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(form.under("set.").collect::<Vec<_>>(), [("KEY", "1")]);
    }

    #[test]
    fn a_link_replaces_one_field_and_keeps_the_others() {
        let form = Form::parse(b"agent=ann&after=7");
        assert_eq!(form.with("/trail", "after", Some("a&b")), "/trail?agent=ann&after=a%26b");
        assert_eq!(form.with("/trail", "after", None), "/trail?agent=ann");
        assert_eq!(Form::default().with("/trail", "after", None), "/trail");
        assert_eq!(link("/servers", "id", "a b"), "/servers?id=a+b");
        assert_eq!(
            address("/agents", &[("view", "x"), ("tool", ""), ("id", "a&b")]),
            "/agents?view=x&id=a%26b"
        );
    }
}
