//! Keeps the result of a call.

use super::{
    References, answer, content::Content, keep_error::KeepError, long, name::short_name, spool_text::restored,
};
use crate::catalog::tools::ToolEntry;
use mgp_transport::{
    long_text::{PlacedText, ReceivedTexts},
    seam::{CallRecord, Reply, ToolCall},
};
use mgp_types::{
    context::Principal,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    reference::DataReference,
};
use std::sync::Arc;

/// The maximum size of an unkept result in the answer, in bytes, which fits into a message to the host.
const MAX_WHOLE: usize = 16 * 1024 * 1024 - 64 * 1024;

/// The details of a call's event about a result that was to be kept.
pub(crate) const KEPT: &str = "kept";
pub(crate) const NOT_KEPT: &str = "not_kept";

/// The keeper of one call's result, with everything that it needs of the call.
pub(super) struct ResultKeeper {
    references: Arc<References>,
    owner: Principal,
    origin: Arc<str>,
    record: CallRecord,
    /// True if the caller requested to keep the result; false if only a long result is kept.
    is_asked: bool,
    /// True if the reference may be structured content.
    is_structured: bool,
    /// The long strings of the result.
    texts: Option<ReceivedTexts>,
    #[cfg(feature = "http")]
    search: super::fetch::DataSearch,
}

impl ResultKeeper {
    /// Returns the keeper of a call's result; `None` if it is never kept, whatever its length.
    pub(super) fn of(references: &Arc<References>, call: &ToolCall) -> Option<Box<Self>> {
        let options = call.options();
        // Over REST, references cannot be read. A dry run has no result.
        let by_length = references.settings.results.max_tokens.is_some() && !call.dry_run && !call.is_rest();
        if !options.keep && !by_length {
            return None;
        }
        let has_schema =
            || ToolEntry::of(call).is_some_and(|entry| entry.shown_definition().may_hold("outputSchema"));
        // A client may check a result of `tools/call` against the tool's schema, and so does the kernel on request.
        let is_structured = (options.is_wrapped && !options.check_result) || !has_schema();
        (options.keep || is_structured).then(|| {
            Box::new(Self {
                references: references.clone(),
                owner: call.principal.clone(),
                origin: call.target.tool.server_id.clone(),
                record: call.record.clone(),
                is_asked: options.keep,
                is_structured,
                texts: long::receives(call, references)
                    .then(|| ReceivedTexts::new(references.long_texts.clone())),
                #[cfg(feature = "http")]
                search: super::fetch::DataSearch::of(call),
            })
        })
    }

    /// Returns the store for the long strings of the result, if it may have any.
    pub(super) fn texts(&self) -> Option<&ReceivedTexts> {
        self.texts.as_ref()
    }

    /// Checks that there is room, before the call is made.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`], if the caller requested to keep the result.
    pub(super) async fn check_room(&self) -> Result<(), KeepError> {
        if self.is_asked { self.references.check_room(&self.owner).await } else { Ok(()) }
    }

    /// Returns whether the host gets a reply unchanged, as far as this is known without parsing it.
    pub(super) fn leaves(&self, reply: &Reply) -> bool {
        // The text of a whole result is at least as long as its content.
        !self.is_asked
            && self.texts.as_ref().is_none_or(ReceivedTexts::is_empty)
            && reply.result().is_none_or(|result| self.fits(result.as_bytes().len()))
    }

    /// Keeps the result of a reply, and returns the reply for the host.
    pub(super) async fn reply(self: Box<Self>, reply: Reply) -> Reply {
        let texts = self.texts.as_ref().map(ReceivedTexts::take).unwrap_or_default();
        let result = reply.result().filter(|_| !reply.is_cancelled());
        let Some(Ok(result)) = result.map(RawObject::from_json) else {
            return with_texts(reply, texts).await;
        };
        let found = if self.is_asked {
            Content::of(&result).map(|content| (content.with_texts(&texts), None))
        } else {
            self.long(&result, &texts).await.map(|(content, start)| (content, Some(start)))
        };
        let Some((content, preview)) = found else { return with_texts(reply, texts).await };
        match self.keep(content).await {
            Ok(reference) => {
                let named = DataReference { ref_id: short_name(&reference.ref_id), ..reference.clone() };
                let note = RawJson::from_value(&named).unwrap_or_else(|_| RawJson::null());
                self.record.update(|record| record.details.push((KEPT, note)));
                Reply::ok(answer::kept(&result, &reference, preview.as_deref(), self.is_structured))
            }
            // Nothing is lost: the host gets the result itself.
            Err(error) if self.is_asked => {
                let reason = error.to_string();
                self.record.update(|record| record.details.push((NOT_KEPT, RawJson::string(&reason))));
                with_texts(Reply::ok(answer::not_kept(&result, &reason)), texts).await
            }
            Err(error) => {
                tracing::warn!(server = &*self.origin, %error, "a long result was not kept");
                with_texts(reply, texts).await
            }
        }
    }

    async fn keep(&self, content: Content) -> Result<DataReference, KeepError> {
        // Data is only fetched if the caller requested to keep the result.
        #[cfg(feature = "http")]
        let content = if !self.is_asked || content.is_long() {
            content
        } else {
            match super::fetch::behind(&self.references, &content).await {
                Some(fetched) => self.search.search(fetched?).await?,
                None => content,
            }
        };
        self.references.keep(&self.owner, &self.origin, content).await
    }

    /// Returns whether a text of a size always fits the limit of tokens: each token has at least one byte.
    fn fits(&self, bytes: usize) -> bool {
        let most = self.references.settings.results.max_tokens;
        most.is_none_or(|most| u64::try_from(bytes).is_ok_and(|bytes| bytes <= most))
    }

    /// Returns all data of a result that exceeds the limit of tokens, and its beginning; `None` if the result does not exceed it.
    async fn long(&self, result: &RawObject, texts: &[PlacedText]) -> Option<(Content, String)> {
        let most = self.references.settings.results.max_tokens?;
        let (counter, result, texts) = (self.references.counter.clone(), result.clone(), texts.to_vec());
        let long = tokio::task::spawn_blocking(move || {
            let content = Content::all_of(&result, &texts)?;
            if content.length() <= most || !content.has_more_tokens(&*counter, most) {
                return None;
            }
            let start = content.start(4 * answer::PREVIEW);
            Some((content, start))
        });
        long.await.unwrap_or_default()
    }
}

/// Returns a reply with its long strings inserted. A reply that is too long for a host, and was not kept, becomes an error: the tool
/// has run.
async fn with_texts(reply: Reply, texts: Vec<PlacedText>) -> Reply {
    let Some(result) = reply.result().filter(|_| !texts.is_empty()).cloned() else { return reply };
    let bytes: u64 = texts.iter().map(|placed| placed.text.length()).sum();
    let whole = tokio::task::spawn_blocking(move || restored(&result, &texts, MAX_WHOLE)).await;
    if let Ok(Some(whole)) = whole {
        return if reply.is_cancelled() { Reply::cancelled(whole) } else { Reply::ok(whole) };
    }
    let code = ErrorCode::ResourceExhausted;
    let error = code.error(format!(
        "the tool has run, and its result of {bytes} bytes was neither kept nor sent: it cannot be kept, or there was no room"
    ));
    let details: RawObject = [("outcome", RawJson::string("done"))].into_iter().collect();
    Reply::error(Recovery::of(code).without_retry().with_details(details).attach(error))
}
