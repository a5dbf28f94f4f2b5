//! Lists in pages, written once when the server is built.

use crate::Error;
use mgp_transport::seam::{Incoming, Reply, Role, Routes};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Cursor, PageParams},
    rpc::{Call, ErrorObject, RawParams},
};
use std::sync::Arc;

/// The pages of one list.
#[derive(Debug, Clone)]
pub(crate) struct Pages {
    /// The prefix of this list's cursors, so that a cursor of another list is refused.
    tag: &'static str,
    pages: Vec<RawJson>,
}

impl Pages {
    /// Writes the pages of a list. `tag` is the prefix of its cursors.
    pub(crate) fn new(
        tag: &'static str,
        member: &'static str,
        items: &[RawJson],
        size: usize,
    ) -> Result<Self, Error> {
        let mut chunks: Vec<&[RawJson]> = items.chunks(size.max(1)).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let last = chunks.len() - 1;
        let page = |(number, chunk): (usize, &&[RawJson])| {
            let mut page = RawObject::new();
            page.insert(member, RawJson::from_value(chunk)?);
            if number < last {
                page.insert("nextCursor", RawJson::string(cursor(tag, number + 1).as_str()));
            }
            Ok(page.to_json())
        };
        let pages = chunks.iter().enumerate().map(page).collect::<Result<_, Error>>()?;
        Ok(Self { tag, pages })
    }

    /// Returns the list as a method.
    pub(crate) fn routes(self, method: impl Call) -> Routes {
        let list = async |pages: Arc<Self>, message: Incoming| Ok(pages.answer(&message.params)?);
        Routes::new().route(method, Role::Anyone, list).with_state(Arc::new(self))
    }

    /// Answers a request for a page.
    pub(crate) fn answer(&self, params: &RawParams) -> Result<Reply, ErrorObject> {
        let PageParams { cursor, .. } = params.decode()?;
        let page = match cursor {
            None => self.pages.first(),
            Some(Cursor(asked)) => self.page_at(&asked),
        };
        let page = page.ok_or_else(|| {
            ErrorObject::invalid_params(
                "invalid cursor: expected the nextCursor of an earlier page of this list",
            )
        })?;
        Ok(Reply::ok(page.clone()))
    }

    fn page_at(&self, asked: &str) -> Option<&RawJson> {
        let number = asked.strip_prefix(self.tag)?.strip_prefix('.')?;
        let number = usize::from_str_radix(number, 16).ok()?;
        // The first page has no cursor, and each cursor has only one spelling.
        self.pages.get(number).filter(|_| number > 0 && cursor(self.tag, number) == asked)
    }
}

/// Returns the cursor of a page, in a form that is opaque to clients.
fn cursor(tag: &str, page: usize) -> String {
    format!("{tag}.{page:x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(pages: &Pages, cursor: Option<&str>) -> Result<String, String> {
        let params = cursor.map_or_else(RawParams::none, |cursor| {
            RawObject::from_iter([("cursor", RawJson::string(cursor))]).into()
        });
        let reply = pages.answer(&params).map_err(|error| error.message)?;
        Ok(reply.result().map(ToString::to_string).unwrap_or_default())
    }

    #[test]
    fn a_list_is_split_into_pages_linked_by_cursors() {
        let items: Vec<_> = ["1", "2", "3"].map(|text| RawJson::parse(text).unwrap()).into();
        let pages = Pages::new("t", "tools", &items, 2).unwrap();
        assert_eq!(ask(&pages, None).unwrap(), r#"{"tools":[1,2],"nextCursor":"t.1"}"#);
        assert_eq!(ask(&pages, Some("t.1")).unwrap(), r#"{"tools":[3]}"#);
        assert_eq!(ask(&Pages::new("t", "tools", &[], 2).unwrap(), None).unwrap(), r#"{"tools":[]}"#);
        for cursor in ["", "t.0", "t.2", "p.1", "t.01", "1"] {
            let error = ask(&pages, Some(cursor)).unwrap_err();
            assert!(error.starts_with("invalid cursor"), "{cursor:?}: {error}");
        }
    }
}
