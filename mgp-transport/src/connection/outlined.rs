//! Frames that were read without their long strings.

use super::{Inbox, Route};
use crate::long_text::{OutlinedLine, whole_line};
use bytes::Bytes;
use mgp_types::rpc::{ErrorObject, Frame, FrameError};

impl Inbox {
    /// Routes a frame that was read without its long strings. The strings go to the call that it answers. A frame that turns out to answer
    /// another call, or none, is put together again if it is not too long.
    pub(super) fn receive_outlined(&self, line: &Bytes, mut outlined: OutlinedLine) {
        let max = self.shared.config.max_frame;
        let frame = Frame::parse(line);
        let received = match &frame {
            Ok(Frame::Response { id: Some(id), .. }) => {
                let long = self.shared.outbound.long_texts();
                id.as_i64().and_then(|id| long?.of_call(id))
            }
            _ => None,
        };
        if let (Some(received), Ok(frame)) = (received, frame) {
            received.put(std::mem::take(&mut outlined.texts));
            return self.receive(frame, Route::Session);
        }
        let whole = if outlined.length > max {
            None
        } else {
            whole_line(line, &outlined.texts, outlined.length).ok()
        };
        match whole {
            Some(whole) => self.receive_text(whole.into(), &Route::Session),
            None => {
                let id = match Frame::parse(line) {
                    Ok(Frame::Response { id, .. }) => id,
                    Ok(_) => None,
                    Err(error) => error.id,
                };
                let error = ErrorObject::invalid_request(format!("invalid frame: longer than {max} bytes"));
                self.refuse(FrameError { id, error, is_response: true }, &Route::Session);
            }
        }
    }
}
