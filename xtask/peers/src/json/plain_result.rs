//! A result without the members that only the stateless era adds.

use super::Normal;

/// The members of a result that the stateless era adds: the kind of the result, and the time for which it may be cached.
const ADDED: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
/// The member that names the server, which the stateless era adds to each result.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Returns the result as both eras have it. A kernel and its server are two servers, possibly in two eras.
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
    fn only_the_additions_of_an_era_are_left_out() {
        let plain = |text: &str| plain_result(Normal::parse(text).unwrap());
        let stateless = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","content":[],
            "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a"}}}"#;
        assert_eq!(plain(stateless), plain(r#"{"content":[]}"#));
        assert_ne!(plain(r#"{"content":[],"_meta":{"a":1}}"#), plain(r#"{"content":[]}"#));
    }
}
