//! A tool as the engine stores it.

use super::{
    fields::{Field, IndexSchema},
    query::whole_name,
};
use crate::{tool::IndexedTool, words::each_word};
use tantivy::{
    TantivyDocument,
    tokenizer::{PreTokenizedString, Token},
};

/// The document of a tool, and how many words it has, each as often as its field counts.
pub(super) fn document(schema: &IndexSchema, tool: &IndexedTool, slot: usize) -> (TantivyDocument, f32) {
    let mut document = TantivyDocument::new();
    let mut length = 0.0;
    document.add_text(schema.text(Field::WholeName), whole_name(Field::WholeName.text(tool)));
    for field in Field::of_words() {
        let mut tokens = Vec::new();
        each_word(field.text(tool), |word| {
            tokens.push(Token { text: word.to_owned(), position: tokens.len(), ..Token::default() });
        });
        length += field.weight() * tokens.len() as f32;
        if !tokens.is_empty() {
            let words = PreTokenizedString { text: String::new(), tokens };
            document.add_pre_tokenized_text(schema.text(field), words);
        }
    }
    document.add_u64(schema.slot, slot as u64);
    (document, length)
}
