package import Engine
package import Secrets
package import Webhooks

/// The dependencies of a worker's handlers.
package struct HandlerSetup: Sendable {
  /// Opened with the worker's login.
  package let records: Records
  /// Sends HTTP requests within the worker's network policy.
  package let client: WebhookClient
  /// The secrets that companies refer to by name; nil if there are none.
  package let secrets: SecretFolder?

  /// - Parameter policy: the addresses that requests may reach.
  package init(_ records: Records, policy: NetworkPolicy, secrets: SecretFolder? = nil) {
    self.records = records
    client = WebhookClient(policy: policy)
    self.secrets = secrets
  }
}
