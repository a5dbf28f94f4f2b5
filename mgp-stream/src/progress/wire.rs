//! Progress on the wire: MCP's notification if the caller gave a token, otherwise MGP's if the caller negotiated `streaming`.

use crate::options::{StreamOptions, member};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{self, ProgressToken},
    rpc::{Notice, RequestId},
    stream::{ESTIMATED_REMAINING_MS, StreamProgress},
};

/// The path on which progress reaches the caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProgressPath {
    /// `notifications/progress`, with the caller's token. `mgp` is true if the caller understands `_mgp` in it.
    Mcp { token: ProgressToken, mgp: bool },
    /// `notifications/mgp.stream.progress`, with the id of the caller's request.
    Mgp(RequestId),
}

/// An amount of progress.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amount {
    pub(crate) progress: RawJson,
    pub(crate) total: Option<RawJson>,
    /// The `_meta` of MCP's notification.
    pub(crate) meta: Option<RawJson>,
    /// The estimate of the remaining time, in milliseconds.
    pub(crate) remaining_ms: Option<RawJson>,
}

impl ProgressPath {
    /// Returns the path to a caller, or `None` for a caller that wants no progress.
    pub(crate) fn to(caller: &StreamOptions) -> Option<Self> {
        match &caller.token {
            Some(token) => Some(Self::Mcp { token: token.clone(), mgp: caller.negotiated }),
            None => caller.negotiated.then(|| Self::Mgp(caller.id.clone())),
        }
    }

    /// Sends progress to the caller, with a message if there is one.
    pub(crate) async fn send(
        &self,
        peer: &Peer,
        amount: Amount,
        message: Option<RawJson>,
    ) -> Result<(), CallError> {
        let mut params = RawObject::new();
        let method = match self {
            Self::Mcp { token, mgp } => {
                params.insert("progressToken", token.0.to_json());
                params.insert("progress", amount.progress);
                amount.total.and_then(|total| params.insert("total", total));
                amount.meta.and_then(|meta| params.insert("_meta", meta));
                if let (Some(remaining), true) = (amount.remaining_ms, *mgp) {
                    params.insert(
                        "_mgp",
                        RawObject::from_iter([(ESTIMATED_REMAINING_MS, remaining)]).to_json(),
                    );
                }
                mcp::Progress::METHOD
            }
            Self::Mgp(id) => {
                params.insert("request_id", id.to_json());
                let remaining = amount.remaining_ms.clone();
                params.insert("progress", amount.fraction());
                remaining.and_then(|remaining| params.insert(ESTIMATED_REMAINING_MS, remaining));
                StreamProgress::METHOD
            }
        };
        message.and_then(|message| params.insert("message", message));
        peer.notify(method, params).await
    }
}

impl Amount {
    pub(crate) fn new(progress: f64, total: Option<f64>) -> Self {
        let total = total.filter(|total| total.is_finite()).map(number);
        Self { progress: number(progress), total, meta: None, remaining_ms: None }
    }

    /// Creates an amount on MGP's own scale, which ends at 1.
    pub(crate) fn of_one(progress: RawJson) -> Self {
        Self { progress, total: Some(number(1.0)), meta: None, remaining_ms: None }
    }

    /// Returns progress on MGP's scale: the fraction that is done. Without a total the fraction is unknown, and the
    /// number stays as it is.
    fn fraction(self) -> RawJson {
        let value = |json: &RawJson| json.decode::<f64>().ok();
        match (value(&self.progress), self.total.as_ref().and_then(value)) {
            // A total of 1 is MGP's own scale: the text of the number stays as it is.
            (Some(progress), Some(total)) if total > 0.0 && total != 1.0 => number(progress / total),
            _ => self.progress,
        }
    }
}

/// Writes a number as JSON; a whole number without a fraction.
fn number(value: f64) -> RawJson {
    /// The bound below which a double holds every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let mut object = RawObject::new();
    if value.fract() == 0.0 && value.abs() < EXACT {
        member(&mut object, "n", &(value as i64));
    } else {
        member(&mut object, "n", &value);
    }
    object.remove("n").unwrap_or_else(RawJson::null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(progress: f64, total: Option<f64>) -> String {
        Amount::new(progress, total).fraction().as_str().to_owned()
    }

    #[test]
    fn progress_with_a_total_becomes_a_fraction() {
        assert_eq!(fraction(13.0, Some(20.0)), "0.65");
        assert_eq!(fraction(20.0, Some(20.0)), "1");
        assert_eq!(fraction(0.65, None), "0.65");
        assert_eq!(fraction(7.0, None), "7");
        assert_eq!(fraction(7.0, Some(0.0)), "7");
        assert_eq!(fraction(7.0, Some(f64::NAN)), "7");
    }

    #[test]
    fn a_number_on_mgp_s_own_scale_keeps_its_text() {
        let parse = |text: &'static str| RawJson::parse(text).unwrap();
        let amount = Amount { total: Some(parse("1")), ..Amount::of_one(parse("0.650")) };
        assert_eq!(amount.fraction().as_str(), "0.650");
    }
}
