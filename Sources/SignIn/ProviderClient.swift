internal import Domain
package import Secrets
internal import Webhooks

/// Sends requests to identity providers. Tests have an implementation of their own.
package protocol ProviderClient: Sendable {
  /// Returns the body of a document.
  ///
  /// - Throws: `unavailable`.
  func get(_ url: String) async throws -> [UInt8]

  /// Sends a form, and returns the status and the body of the answer.
  ///
  /// - Throws: `unavailable` if there is no answer.
  func post(_ url: String, form: [(name: String, value: String)]) async throws -> (status: Int, body: [UInt8])
}

/// Sends requests through libcurl, without redirects and proxies.
package struct CurlProviderClient: ProviderClient {
  /// The maximum size of an answer in bytes. Key sets with certificates are larger than a webhook's answer.
  package static let limit = 262_144

  private let client: WebhookClient

  /// - Parameter authorities: the path of a file of CA certificates; nil for the system's.
  package init(authorities: String? = nil, pool: ThreadPool = ThreadPool(threads: 4, queueLimit: 256)) {
    // The operator chooses the providers, which may be in the private network.
    client = WebhookClient(
      policy: .publicAndPrivate,
      limits: WebhookClient.Limits(
        connecting: .seconds(5),
        total: .seconds(10),
        responseBytes: Self.limit
      ),
      authorities: authorities,
      pool: pool
    )
  }

  package func get(_ url: String) async throws -> [UInt8] {
    let outcome = await client.fetch(url)
    guard outcome.status == 200, !outcome.isBodyTruncated else { throw Self.failure(outcome) }
    return outcome.body
  }

  package func post(
    _ url: String,
    form: [(name: String, value: String)]
  ) async throws -> (status: Int, body: [UInt8]) {
    let outcome = await client.submit(url, form: FormCoding.encode(form))
    guard let status = outcome.status, !outcome.isBodyTruncated else { throw Self.failure(outcome) }
    return (status, outcome.body)
  }

  private static func failure(_ outcome: DeliveryOutcome) -> DomainError {
    let cause =
      outcome.isBodyTruncated ? "its answer is too large" : outcome.reason ?? "its answer is not a document"
    return DomainError(
      .unavailable,
      "the identity provider cannot be used: \(cause)",
      hint: "try again later"
    )
  }
}
