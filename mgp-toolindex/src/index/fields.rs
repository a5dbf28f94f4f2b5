//! The fields of the index and how much each counts.

use crate::tool::IndexedTool;
use std::fmt;
use tantivy::schema::{FAST, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};

/// A field in which words are looked for.
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
    /// The id of its server.
    Server,
    /// The description.
    Description,
    /// The names of its parameters.
    Parameters,
    /// The descriptions of its parameters.
    ParameterDescriptions,
}

impl Field {
    /// Every field, the weightiest first.
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

    /// The name, in lower case.
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

    /// How much a word in the field counts.
    pub(super) const fn weight(self) -> f32 {
        match self {
            Self::WholeName => 6.0,
            Self::Name => 3.0,
            Self::Title => 2.0,
            Self::Keywords => 2.0,
            Self::Server => 1.0,
            Self::Description => 1.2,
            Self::Parameters => 0.7,
            Self::ParameterDescriptions => 0.4,
        }
    }

    /// What a tool has in the field.
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

/// The name of the tokenizer that the fields use.
pub(super) const TOKENIZER: &str = "words";

/// The schema, and its fields.
#[derive(Debug, Clone)]
pub(super) struct IndexSchema {
    pub(super) schema: Schema,
    pub(super) text: [tantivy::schema::Field; 8],
    /// The server's id as it is, by which its tools are taken out.
    pub(super) owner: tantivy::schema::Field,
    /// Where the tool stands in the snapshot's table.
    pub(super) slot: tantivy::schema::Field,
}

/// The name of the field that leads to the table.
pub(super) const SLOT: &str = "slot";

impl IndexSchema {
    pub(super) fn new() -> Self {
        let mut schema = Schema::builder();
        let words = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(words);
        let text = Field::ALL.map(|field| match field {
            Field::WholeName => schema.add_text_field(field.as_str(), STRING),
            _ => schema.add_text_field(field.as_str(), options.clone()),
        });
        let owner = schema.add_text_field("owner", STRING);
        let slot = schema.add_u64_field(SLOT, FAST);
        Self { schema: schema.build(), text, owner, slot }
    }

    pub(super) fn text(&self, field: Field) -> tantivy::schema::Field {
        self.text[field as usize]
    }
}
