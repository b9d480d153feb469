internal import Domain
package import Secrets
internal import Webhooks

/// A request to an identity provider.
package struct ProviderRequest: Sendable {
  package let url: String
  /// The form to post; nil for a GET.
  package let form: [(name: String, value: String)]?
  /// The value of the header `Authorization`; nil for none.
  package let authorization: String?

  package init(_ url: String, form: [(name: String, value: String)]? = nil, authorization: String? = nil) {
    self.url = url
    self.form = form
    self.authorization = authorization
  }
}

/// The answer of an identity provider, of any status.
package struct ProviderAnswer: Sendable {
  package let status: Int
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }

  /// The JSON object in the body; nil for another body.
  var json: JSONObject? {
    // A body that is not JSON is refused like one without the member that is looked for.
    String(validating: body, as: UTF8.self).flatMap { try? JSONValue(parsing: $0) }?.object
  }
}

/// Sends requests to identity providers. Tests have an implementation of their own.
package protocol ProviderClient: Sendable {
  /// Sends a request once.
  ///
  /// - Throws: `unavailable` if there is no answer.
  func send(_ request: ProviderRequest) async throws -> ProviderAnswer
}

extension ProviderClient {
  /// Returns the body of a document.
  ///
  /// - Throws: `unavailable`, also for an answer with another status than 200.
  func document(_ url: String) async throws -> [UInt8] {
    let answer = try await send(ProviderRequest(url))
    guard answer.status == 200 else {
      throw DomainError(.unavailable, "the identity provider answered \(answer.status) for \(url)")
    }
    return answer.body
  }
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

  package func send(_ request: ProviderRequest) async throws -> ProviderAnswer {
    let outcome =
      if let form = request.form {
        await client.submit(request.url, form: FormCoding.encode(form), authorization: request.authorization)
      } else {
        await client.fetch(request.url, authorization: request.authorization)
      }
    guard let status = outcome.status, !outcome.isBodyTruncated else {
      let reason = outcome.reason?.replacing("the receiver", with: "it") ?? "it did not answer"
      let cause = outcome.isBodyTruncated ? "its answer is too large" : reason
      throw DomainError(.unavailable, "the identity provider cannot be used: \(cause)")
    }
    return ProviderAnswer(status: status, body: outcome.body)
  }
}
