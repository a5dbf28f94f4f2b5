//! A result without what only the stateless era has around it.

use super::Normal;

/// Members of a result that the stateless era adds: what kind of result it is, and how long it may be kept.
const ADDED: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
/// Who answered, which the stateless era says with each result.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The result as both eras have it. A kernel and its server are two servers, which may be spoken to in two eras.
pub(crate) fn plain_result(result: Normal) -> Normal {
    let mut result = ADDED.iter().fold(result, |result, key| result.without(key));
    if let Normal::Object(members) = &mut result
        && let Some(meta) = members.remove("_meta")
    {
        let meta = meta.without(SERVER_INFO);
        if !matches!(&meta, Normal::Object(left) if left.is_empty()) {
            members.insert("_meta".to_owned(), meta);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_era_adds_is_left_out_and_nothing_else() {
        let plain = |text: &str| plain_result(Normal::parse(text).unwrap());
        let stateless = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","content":[],
            "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a"}}}"#;
        assert_eq!(plain(stateless), plain(r#"{"content":[]}"#));
        assert_ne!(plain(r#"{"content":[],"_meta":{"a":1}}"#), plain(r#"{"content":[]}"#));
    }
}
