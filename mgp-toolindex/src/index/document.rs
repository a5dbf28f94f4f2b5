//! The document of a tool in the search engine.

use super::{
    fields::{Field, IndexSchema},
    query::whole_name,
};
use crate::{tool::IndexedTool, words::each_word};
use tantivy::TantivyDocument;

/// Returns the document of a tool, without its slot, and the number of its words, each multiplied by its field's weight.
pub(super) fn document(schema: &IndexSchema, tool: &IndexedTool) -> (TantivyDocument, f32) {
    let mut document = TantivyDocument::new();
    let mut length = 0;
    document.add_text(schema.whole_name, whole_name(Field::WholeName.text(tool)));
    for field in Field::of_words() {
        let mut words = String::with_capacity(field.text(tool).len());
        let mut count = 0;
        each_word(field.text(tool), |word| {
            if count > 0 {
                words.push(' ');
            }
            words.push_str(word);
            count += 1;
        });
        length += count * usize::from(field.weight());
        if count > 0 {
            if field == Field::Name {
                document.add_text(schema.name, &words);
            }
            for _ in 0..field.weight() {
                document.add_text(schema.words, &words);
            }
        }
    }
    (document, length as f32)
}
