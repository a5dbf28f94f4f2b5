//! The fields of the index, and their weights.

use crate::tool::IndexedTool;
use std::fmt;
use tantivy::schema::{FAST, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};

/// A field that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The name as a whole.
    WholeName,
    /// The parts of the name.
    Name,
    /// The title.
    Title,
    /// Categories and keywords.
    Keywords,
    /// The id of the tool's server.
    Server,
    /// The description.
    Description,
    /// The names of the parameters.
    Parameters,
    /// The descriptions of the parameters.
    ParameterDescriptions,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 8] = [
        Self::WholeName,
        Self::Name,
        Self::Title,
        Self::Keywords,
        Self::Server,
        Self::Description,
        Self::Parameters,
        Self::ParameterDescriptions,
    ];

    /// Returns the fields that hold words. The whole name is a single token.
    pub(super) fn of_words() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|field| *field != Self::WholeName)
    }

    /// Returns the name of the field, in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WholeName => "whole_name",
            Self::Name => "name",
            Self::Title => "title",
            Self::Keywords => "keywords",
            Self::Server => "server",
            Self::Description => "description",
            Self::Parameters => "parameters",
            Self::ParameterDescriptions => "parameter_descriptions",
        }
    }

    /// Returns the weight of a word in the field, compared with one in the description of a parameter. Measured:
    /// docs/tool-index.md.
    pub(super) const fn weight(self) -> u8 {
        match self {
            Self::WholeName | Self::Name => 4,
            Self::Description => 3,
            Self::Title | Self::Keywords | Self::Server | Self::Parameters => 2,
            Self::ParameterDescriptions => 1,
        }
    }

    /// Returns the text of a tool in the field.
    pub(super) fn text(self, tool: &IndexedTool) -> &str {
        let text = tool.text();
        match self {
            Self::WholeName | Self::Name => &text.name,
            Self::Title => &text.title,
            Self::Keywords => &text.keywords,
            Self::Server => &tool.id().server_id,
            Self::Description => &text.description,
            Self::Parameters => &text.parameters,
            Self::ParameterDescriptions => &text.parameter_descriptions,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The schema of the engine's documents, one for each tool.
#[derive(Debug, Clone)]
pub(super) struct IndexSchema {
    pub(super) schema: Schema,
    /// The name as a single token.
    pub(super) whole_name: tantivy::schema::Field,
    /// The words of the name, for finding similar names.
    pub(super) name: tantivy::schema::Field,
    /// The words of all fields, each repeated by its field's weight, so that one lookup finds all that BM25F adds up for a word.
    pub(super) words: tantivy::schema::Field,
    /// The tool's slot in the table, for removing the tool and for finding the tool of a match.
    pub(super) slot: tantivy::schema::Field,
}

/// The name of the field that holds the slot.
pub(super) const SLOT: &str = "slot";

impl IndexSchema {
    pub(super) fn new() -> Self {
        let mut schema = Schema::builder();
        // Exact lengths are kept with the tools; those of the engine are rounded. The words are already stems.
        let words = |option| {
            let words = TextFieldIndexing::default().set_index_option(option).set_fieldnorms(false);
            TextOptions::default().set_indexing_options(words.set_tokenizer("whitespace"))
        };
        let whole_name = schema.add_text_field("whole_name", STRING);
        let name = schema.add_text_field("name", words(IndexRecordOption::Basic));
        let words = schema.add_text_field("words", words(IndexRecordOption::WithFreqs));
        let slot = schema.add_u64_field(SLOT, FAST | INDEXED);
        Self { schema: schema.build(), whole_name, name, words, slot }
    }
}
