//! One request to a token endpoint.

use super::{TokenResponse, assertion::assert};
use crate::auth::{OAuthError, registration::Client, store::AuthMethod};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::HeaderValue;
use mgp_transport::http::fetch::{Fetcher, shown_url};
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
    /// The grant's own fields. Those without a value are left out.
    pub(in crate::auth) fields: &'a [(&'a str, Option<&'a str>)],
}

impl TokenRequest<'_> {
    /// Sends the request, authenticated as the client.
    pub(in crate::auth) async fn send(self, fetcher: &Fetcher) -> Result<TokenResponse, OAuthError> {
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
        let fetched = fetcher.post(self.endpoint, FORM, authorization, body).await;
        let fetched = fetched.map_err(|source| OAuthError::Fetch { what: self.what, source })?;
        TokenResponse::read(self.what, &shown_url(self.endpoint), &fetched)
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
