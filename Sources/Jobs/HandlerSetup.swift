package import Engine
package import Mail
package import Secrets
package import Store
package import Webhooks

/// The dependencies of a worker's handlers; created once per process and passed to all apps.
///
/// ```swift
/// package func handlers(_ setup: HandlerSetup) -> [any JobHandler] {
///   [TariffHandler(setup.client, secrets: setup.secrets)]
/// }
/// ```
package struct HandlerSetup: Sendable {
  /// The record use cases, opened with the worker's login (`fettle_worker`).
  package let records: Records
  /// Sends HTTP requests to the addresses that the worker's network policy permits.
  package let client: WebhookClient
  /// The folder with the secrets that companies refer to by name; nil if the operator gave none.
  package let secrets: SecretFolder?
  /// How mails are sent; nil for a worker that leaves them to others.
  package let mail: MailSettings?
  /// The file that remembers erasures; nil for a worker that leaves them to others.
  package let ledger: ErasureLedger?

  /// Creates the dependencies, with an HTTP client of their own.
  ///
  /// - Parameters:
  ///   - records: opened with the worker's login.
  ///   - policy: the addresses that requests may reach.
  ///   - secrets: the folder with secrets; nil if there is none.
  ///   - mail: how mails are sent; nil if the worker sends none.
  ///   - ledger: the file that remembers erasures; nil if the worker erases nothing.
  package init(
    _ records: Records,
    policy: NetworkPolicy,
    secrets: SecretFolder? = nil,
    mail: MailSettings? = nil,
    ledger: ErasureLedger? = nil
  ) {
    self.records = records
    // A thread for each place: no request waits for the answers to others.
    client = WebhookClient(
      policy: policy,
      pool: ThreadPool(threads: WorkerConfiguration.defaultPlaces, queueLimit: 1024)
    )
    self.secrets = secrets
    self.mail = mail
    self.ledger = ledger
  }
}
