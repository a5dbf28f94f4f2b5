//! Names with a slip of the pen, for a search that found nothing else.

use super::{
    Query,
    fields::{Field, IndexSchema},
};
use tantivy::{
    Term,
    query::{BooleanQuery, FuzzyTermQuery, Query as Engine},
};

/// Shorter words become too many others with one letter changed.
const MIN_LENGTH: usize = 4;

/// The names that are one letter away from a word of the query; `None` where no word is long enough.
pub(super) fn to_engine(query: &Query, schema: &IndexSchema) -> Option<Box<dyn Engine>> {
    let near = |field, text: &String| {
        let term = Term::from_field_text(schema.text(field), text);
        Box::new(FuzzyTermQuery::new(term, 1, true)) as Box<dyn Engine>
    };
    let long = |text: &&String| text.chars().count() >= MIN_LENGTH;
    let words = query.words().iter().filter(long).map(|word| near(Field::Name, word));
    let whole = query.names().iter().filter(long).map(|name| near(Field::WholeName, name));
    let any: Vec<_> = words.chain(whole).collect();
    (!any.is_empty()).then(|| Box::new(BooleanQuery::union(any)) as Box<dyn Engine>)
}
