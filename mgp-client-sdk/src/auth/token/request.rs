//! One request to a token endpoint.

use super::{TokenResponse, assertion::assert};
use crate::auth::{
    OAuthError,
    dpop::{PROOF, ProofKey, nonce_of},
    registration::Client,
    store::AuthMethod,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue, Method, header::AUTHORIZATION};
use mgp_transport::http::fetch::{FetchResponse, Fetcher, shown_url};
use url::{Url, form_urlencoded};

const FORM: &str = "application/x-www-form-urlencoded";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// One request to a token endpoint. Its fields are secrets, so it does not implement `Debug`.
#[derive(Clone, Copy)]
pub(in crate::auth) struct TokenRequest<'a> {
    /// The requested item, for errors.
    pub(in crate::auth) what: &'static str,
    /// The issuer of the authorization server, the audience of assertions.
    pub(in crate::auth) issuer: &'a str,
    pub(in crate::auth) endpoint: &'a Url,
    pub(in crate::auth) client: &'a Client,
    /// The key that the tokens are to be bound to.
    pub(in crate::auth) proof_key: Option<&'a ProofKey>,
    /// The grant's own fields. Those without a value are left out.
    pub(in crate::auth) fields: &'a [(&'a str, Option<&'a str>)],
}

impl TokenRequest<'_> {
    /// Sends the request, authenticated as the client, and once more if the server demands a nonce in the proof.
    pub(in crate::auth) async fn send(self, fetcher: &Fetcher) -> Result<TokenResponse, OAuthError> {
        let fetched = self.attempt(fetcher, None).await?;
        let by = shown_url(self.endpoint);
        let response = TokenResponse::read(self.what, &by, &fetched);
        let demanded = response.as_ref().err().and_then(OAuthError::code) == Some("use_dpop_nonce");
        match nonce_of(&fetched.headers).filter(|_| demanded && self.proof_key.is_some()) {
            Some(nonce) => {
                let fetched = self.attempt(fetcher, Some(&nonce)).await?;
                TokenResponse::read(self.what, &by, &fetched)
            }
            None => response,
        }
    }

    /// Sends the request once. An assertion and a proof are valid for one request.
    async fn attempt(self, fetcher: &Fetcher, nonce: Option<&str>) -> Result<FetchResponse, OAuthError> {
        let (client, mut fields) = (&self.client.kept, self.fields.to_vec());
        let secret = || {
            client.secret.as_ref().ok_or_else(|| OAuthError::NoClient {
                issuer: self.issuer.to_owned(),
                problem: format!("{} needs a secret", client.method.as_str()),
            })
        };
        let (mut authorization, assertion);
        authorization = None;
        match client.method {
            AuthMethod::None => fields.push(("client_id", Some(&client.id))),
            AuthMethod::ClientSecretBasic => {
                authorization = Some(basic(&client.id, secret()?.expose())?);
            }
            AuthMethod::ClientSecretPost => {
                fields.push(("client_id", Some(&client.id)));
                fields.push(("client_secret", Some(secret()?.expose())));
            }
            AuthMethod::PrivateKeyJwt => {
                let key = self.client.key.as_ref().ok_or_else(|| OAuthError::NoClient {
                    issuer: self.issuer.to_owned(),
                    problem: "private_key_jwt needs a private key".to_owned(),
                })?;
                assertion = assert(&client.id, self.issuer, key)?;
                fields.push(("client_id", Some(&client.id)));
                fields.push(("client_assertion_type", Some(ASSERTION_TYPE)));
                fields.push(("client_assertion", Some(assertion.expose())));
            }
        }
        let body = form(&fields).into_bytes();
        let mut headers: HeaderMap = authorization.map(|value| (AUTHORIZATION, value)).into_iter().collect();
        if let Some(key) = self.proof_key {
            headers.insert(PROOF, key.proof(&Method::POST, self.endpoint, None, nonce)?);
        }
        let fetched = fetcher.post(self.endpoint, FORM, headers, body).await;
        fetched.map_err(|source| OAuthError::Fetch { what: self.what, source })
    }
}

/// Returns fields as a form. Those without a value are left out.
pub(in crate::auth) fn form(fields: &[(&str, Option<&str>)]) -> String {
    let given = fields.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish()
}

/// Returns the value of HTTP Basic, with its parts encoded as in a form (RFC 6749 §2.3.1).
fn basic(id: &str, secret: &str) -> Result<HeaderValue, OAuthError> {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let value = format!("Basic {}", STANDARD.encode(format!("{}:{}", encode(id), encode(secret))));
    HeaderValue::try_from(value).map_err(|_| OAuthError::Setting {
        name: "client credentials",
        problem: "expected what fits in a header".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_basic_credentials_are_encoded() {
        let value = basic("a:b", "c d%").unwrap();
        let text = STANDARD.decode(value.to_str().unwrap().strip_prefix("Basic ").unwrap()).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "a%3Ab:c+d%25");
    }

    #[test]
    fn a_field_without_a_value_is_left_out() {
        assert_eq!(form(&[("a", Some("1 &")), ("b", None), ("c", Some(""))]), "a=1+%26&c=");
    }
}
