//! The sources of a result's data, as a server names them.

use crate::json::RawObject;
use std::fmt;

spelled! {
    /// The relation of data to their source.
    pub enum Confidence as "confidence" {
        /// The value itself, as in the source.
        Exact = "exact",
        /// Computed from the source.
        Derived = "derived",
        /// An approximation.
        Estimated = "estimated",
        /// A guess.
        Uncertain = "uncertain",
    }
}

open_object! {
    /// A source of a result's data. It is the server's claim: good enough to cite, but not a proof.
    ///
    /// ```
    /// use mgp_types::tool_result::{Confidence, Provenance};
    /// let source = Provenance::new("invoice_v2.pdf").page(3).confidence(Confidence::Exact);
    /// assert_eq!(source.to_string(), "invoice_v2.pdf, page 3 (exact)");
    /// ```
    pub struct Provenance {
        /// The document, database, API or system.
        required source: String = "source",
        /// The place within the source.
        lenient location: SourceLocation = "location",
        /// The time at which the data were read, in RFC 3339.
        lenient retrieved_at: String = "retrieved_at",
        /// The version of the source.
        lenient version: String = "version",
        /// The relation of the data to the source.
        lenient confidence: Confidence = "confidence",
        /// The way in which the data were made from the source.
        lenient transformation: String = "transformation",
    }
}

open_object! {
    /// A place within a source.
    #[derive(Default)]
    pub struct SourceLocation {
        /// The page.
        lenient page: u64 = "page",
        /// The paragraph.
        lenient paragraph: u64 = "paragraph",
        /// The line.
        lenient line: u64 = "line",
        /// The cell of a table, such as `B14`.
        lenient cell: String = "cell",
        /// The place in a JSON document, such as `$.data.revenue`.
        lenient json_path: String = "json_path",
        /// The fragment of a URL.
        lenient url_fragment: String = "url_fragment",
    }
}

impl Provenance {
    /// Creates a source without further details.
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            location: None,
            retrieved_at: None,
            version: None,
            confidence: None,
            transformation: None,
            other: RawObject::new(),
        }
    }

    /// Sets the place within the source.
    #[must_use]
    pub fn location(self, location: SourceLocation) -> Self {
        Self { location: Some(location), ..self }
    }

    /// Sets the page.
    #[must_use]
    pub fn page(self, page: u64) -> Self {
        self.at(|location| location.page = Some(page))
    }

    /// Sets the paragraph.
    #[must_use]
    pub fn paragraph(self, paragraph: u64) -> Self {
        self.at(|location| location.paragraph = Some(paragraph))
    }

    /// Sets the line.
    #[must_use]
    pub fn line(self, line: u64) -> Self {
        self.at(|location| location.line = Some(line))
    }

    /// Sets the cell of a table, such as `B14`.
    #[must_use]
    pub fn cell(self, cell: impl Into<String>) -> Self {
        self.at(|location| location.cell = Some(cell.into()))
    }

    /// Sets the place in a JSON document, such as `$.data.revenue`.
    #[must_use]
    pub fn json_path(self, path: impl Into<String>) -> Self {
        self.at(|location| location.json_path = Some(path.into()))
    }

    /// Sets the fragment of a URL.
    #[must_use]
    pub fn url_fragment(self, fragment: impl Into<String>) -> Self {
        self.at(|location| location.url_fragment = Some(fragment.into()))
    }

    fn at(mut self, change: impl FnOnce(&mut SourceLocation)) -> Self {
        change(self.location.get_or_insert_default());
        self
    }

    /// Sets the time at which the data were read, in RFC 3339, such as `2026-03-10T14:22:00Z`.
    #[must_use]
    pub fn retrieved_at(self, time: impl fmt::Display) -> Self {
        Self { retrieved_at: Some(time.to_string()), ..self }
    }

    /// Sets the version of the source.
    #[must_use]
    pub fn version(self, version: impl Into<String>) -> Self {
        Self { version: Some(version.into()), ..self }
    }

    /// Sets the relation of the data to the source.
    #[must_use]
    pub fn confidence(self, confidence: Confidence) -> Self {
        Self { confidence: Some(confidence), ..self }
    }

    /// Sets the way in which the data were made from the source.
    #[must_use]
    pub fn transformation(self, transformation: impl Into<String>) -> Self {
        Self { transformation: Some(transformation.into()), ..self }
    }
}

impl From<&str> for Provenance {
    fn from(source: &str) -> Self {
        Self::new(source)
    }
}

impl From<String> for Provenance {
    fn from(source: String) -> Self {
        Self::new(source)
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = [("page", self.page), ("paragraph", self.paragraph), ("line", self.line)];
        let numbers = numbers.into_iter().filter_map(|(name, number)| Some(format!("{name} {}", number?)));
        let texts = [("cell ", &self.cell), ("", &self.json_path), ("#", &self.url_fragment)];
        let texts = texts.into_iter().filter_map(|(name, text)| Some(format!("{name}{}", text.as_ref()?)));
        f.write_str(&numbers.chain(texts).collect::<Vec<_>>().join(", "))
    }
}

/// Writes one line, in the form of a citation.
impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        let location = self.location.as_ref().map(ToString::to_string).filter(|text| !text.is_empty());
        for (before, text) in [
            (", ", location.as_ref()),
            (", version ", self.version.as_ref()),
            (", read at ", self.retrieved_at.as_ref()),
            (", by ", self.transformation.as_ref()),
        ] {
            if let Some(text) = text {
                write!(f, "{before}{text}")?;
            }
        }
        self.confidence.map_or(Ok(()), |confidence| write!(f, " ({confidence})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_survives_with_all_its_members() {
        let source = Provenance::new("s.xlsx")
            .page(1)
            .paragraph(2)
            .line(3)
            .cell("B14")
            .json_path("$.a")
            .url_fragment("top")
            .retrieved_at("2026-03-10T14:22:00Z")
            .version("v2.1")
            .confidence(Confidence::Derived)
            .transformation("SUM of B2 to B15");
        let text = r#"{"source":"s.xlsx","location":{"page":1,"paragraph":2,"line":3,"cell":"B14","json_path":"$.a","url_fragment":"top"},"retrieved_at":"2026-03-10T14:22:00Z","version":"v2.1","confidence":"derived","transformation":"SUM of B2 to B15"}"#;
        assert_eq!(serde_json::to_string(&source).unwrap(), text);
        assert_eq!(serde_json::from_str::<Provenance>(text).unwrap(), source);
        let line = "s.xlsx, page 1, paragraph 2, line 3, cell B14, $.a, #top, version v2.1, read at 2026-03-10T14:22:00Z, by SUM of B2 to B15 (derived)";
        assert_eq!(source.to_string(), line);
        assert_eq!(Provenance::from("x").to_string(), "x");
    }

    #[test]
    fn a_member_of_another_form_does_not_hide_the_source() {
        let text = r#"{"source":"x","confidence":"sure","location":{"page":"iv"},"own":1}"#;
        let source: Provenance = serde_json::from_str(text).unwrap();
        assert_eq!((source.source.as_str(), source.confidence), ("x", None));
        assert!(serde_json::from_str::<Provenance>(r#"{"version":"1"}"#).is_err());
    }
}
