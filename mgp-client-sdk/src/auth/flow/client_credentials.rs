//! The client credentials grant: the client requests tokens on its own behalf.

use super::{GrantContext, GrantedTokens};
use crate::auth::OAuthError;

impl GrantContext<'_> {
    pub(super) async fn client_credentials(self) -> Result<GrantedTokens, OAuthError> {
        let (client, scope) = (self.own_client()?, self.scope());
        let fields = [
            ("grant_type", Some("client_credentials")),
            ("resource", self.found.resource.as_deref()),
            ("scope", scope.as_deref()),
        ];
        let tokens = self.tokens("access token of the client", &client, &fields).await?;
        Ok(GrantedTokens { client, tokens })
    }
}
