//! Frames that were read without their long strings.

use super::{Inbox, Route};
use crate::long_text::{OutlinedLine, PlacedText, whole_line};
use bytes::Bytes;
use mgp_types::{
    json::RawObject,
    mcp::ResultType,
    rpc::{ErrorObject, Frame, FrameError, RawResult},
};

/// The members of a result that this side reads on the way to the host.
const METADATA: [&str; 2] = ["_meta", "_mgp"];

impl Inbox {
    /// Routes a frame that was read without its long strings. The strings of a tool's result go to the call that it answers. All
    /// others are put back into the frame, if it fits the limit with them. These are strings of metadata, errors, questions, and
    /// answers to other calls.
    pub(super) fn receive_outlined(&self, line: &Bytes, outlined: OutlinedLine) {
        let frame = Frame::parse(line);
        let received = match &frame {
            Ok(Frame::Response { id: Some(id), outcome: Ok(result) }) => {
                let long = self.shared.outbound.long_texts();
                id.number().and_then(|id| Some((long?.of_call(id)?, result)))
            }
            _ => None,
        };
        let (received, apart, back) = match received {
            Some((received, result)) => {
                let (apart, back) = divided(outlined.texts, result);
                (Some(received), apart, back)
            }
            None => (None, Vec::new(), outlined.texts),
        };
        let max = self.shared.config.max_frame;
        if let Some(whole) = with_texts(line, &back, max) {
            if let Some(received) = received {
                received.put(apart);
            }
            return self.receive_text(whole, &Route::Session);
        }
        let id = match frame {
            Ok(Frame::Response { id, .. }) => id,
            Ok(_) => None,
            Err(error) => error.id,
        };
        let error = ErrorObject::invalid_request(format!("invalid frame: longer than {max} bytes"));
        self.refuse(FrameError { id, error, is_response: true, is_bare: false }, &Route::Session);
    }
}

/// Divides the long strings of a result into those that stay apart, and those that are put back into it.
fn divided(texts: Vec<PlacedText>, result: &RawResult) -> (Vec<PlacedText>, Vec<PlacedText>) {
    let Ok(result) = RawObject::from_json(result) else { return (Vec::new(), texts) };
    if ResultType::said_by(&result) != ResultType::Complete {
        return (Vec::new(), texts);
    }
    let metadata = METADATA.map(|key| result.get(key));
    texts.into_iter().partition(|placed| {
        !metadata.iter().flatten().any(|member| member.as_str().contains(&*placed.placeholder))
    })
}

/// Returns a line with these strings put back. Returns `None` if it is then longer than `max` bytes, or if the store cannot read
/// them.
fn with_texts(line: &Bytes, texts: &[PlacedText], max: usize) -> Option<Bytes> {
    if texts.is_empty() {
        return Some(line.clone());
    }
    // A JSON string is at least as long as its text.
    let bytes = texts.iter().try_fold(line.len(), |bytes, placed| {
        bytes.checked_add(usize::try_from(placed.text.length()).ok()?)
    })?;
    let whole = (bytes <= max).then(|| whole_line(line, texts, bytes).ok()).flatten()?;
    (whole.len() <= max).then(|| whole.into())
}
