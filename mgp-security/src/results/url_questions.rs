//! The URLs in the error -32042, which ask the user to visit them: masked, they would lead nowhere.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::McpErrorCode,
    rpc::ErrorObject,
};

/// The URLs that an error asks the user to visit.
#[derive(Debug)]
pub(super) struct UrlQuestions {
    /// One for each elicitation; `None` if it has no URL.
    urls: Vec<Option<RawJson>>,
}

impl UrlQuestions {
    /// Takes the URLs out of an error. Also returns the error without them; `None` if the error has no URL to visit.
    pub(super) fn take(error: &ErrorObject) -> Option<(Self, ErrorObject)> {
        if error.code != i64::from(McpErrorCode::UrlElicitationRequired) {
            return None;
        }
        let mut error = error.clone();
        let mut urls = Vec::new();
        error.data = Some(edited(error.data.as_ref()?, |_, elicitation| {
            let is_url =
                elicitation.text("mode").as_deref() == Some("url") && elicitation.text("url").is_some();
            urls.push(if is_url { elicitation.insert("url", RawJson::string("")) } else { None });
        })?);
        Some((Self { urls }, error))
    }

    /// Puts the URLs back into the error.
    pub(super) fn put_back(mut self, error: &mut ErrorObject) {
        let data = error.data.as_ref().and_then(|data| {
            edited(data, |number, elicitation| {
                if let Some(url) = self.urls.get_mut(number).and_then(Option::take) {
                    elicitation.insert("url", url);
                }
            })
        });
        if data.is_some() {
            error.data = data;
        }
    }
}

/// Returns the data of an error with its elicitations changed; `None` if there are none.
fn edited(data: &RawJson, mut change: impl FnMut(usize, &mut RawObject)) -> Option<RawJson> {
    let mut data = RawObject::from_json(data).ok()?;
    let mut elicitations: Vec<RawObject> = data.decode("elicitations").ok()??;
    elicitations.iter_mut().enumerate().for_each(|(number, elicitation)| change(number, elicitation));
    let elicitations: Vec<_> = elicitations.iter().map(RawObject::to_json).collect();
    data.insert("elicitations", RawJson::from_value(&elicitations).ok()?);
    Some(data.to_json())
}
