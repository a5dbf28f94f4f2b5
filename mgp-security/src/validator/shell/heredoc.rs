//! Here-documents.

use super::{
    braces,
    script::{Reader, Unread},
    word::Word,
};

/// A here-document whose body follows at the end of the line.
#[derive(Debug)]
pub(super) struct HereDocument {
    delimiter: String,
    literal: bool,
    indented: bool,
}

impl HereDocument {
    pub(super) fn new(word: Word, indented: bool) -> Result<Self, Unread> {
        if word.known().is_none() || word.text.contains('\n') {
            return Err(Unread::Unknown("a here-document whose end is not known"));
        }
        Ok(Self { literal: word.quoted, delimiter: braces::closed(word.text), indented })
    }
}

impl Reader<'_> {
    /// Reads the bodies of the here-documents that begin at this line break. Returns the text of the last.
    pub(super) fn documents_here(&mut self) -> Result<Option<String>, Unread> {
        let mut last = None;
        for document in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            loop {
                let rest = &self.text[self.at..];
                if rest.is_empty() {
                    return Err(Unread::Broken("a here-document that does not end"));
                }
                let (line, length) =
                    rest.split_once('\n').map_or((rest, rest.len()), |(line, _)| (line, line.len() + 1));
                let line = if document.indented { line.trim_start_matches('\t') } else { line };
                self.at += length;
                if line == document.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if !document.literal {
                if body.contains("\\\n") {
                    return Err(Unread::Unknown("a here-document with joined lines"));
                }
                self.inner.push((body.clone(), true));
            }
            last = Some(body);
        }
        Ok(last)
    }
}
