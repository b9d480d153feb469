internal import CCurlShim
internal import Domain
internal import Glibc
package import Secrets
internal import Synchronization

/// Delivers webhooks over HTTP: signed, without redirects or proxies, within limits of time and size.
///
/// It connects only to addresses that the policy allows. It checks the address when it connects.
package struct WebhookClient: Sendable {
  /// The limits of one attempt.
  package struct Limits: Sendable {
    /// The timeout for connecting, including name lookup and TLS.
    package var connecting: Duration
    /// The timeout for the whole attempt.
    package var total: Duration
    /// The maximum size of the response in bytes; the rest is not read.
    package var responseBytes: Int

    /// Creates limits; the defaults suit most receivers.
    package init(
      connecting: Duration = .seconds(5),
      total: Duration = .seconds(15),
      responseBytes: Int = 16 * 1024
    ) {
      self.connecting = connecting
      self.total = total
      self.responseBytes = responseBytes
    }
  }

  private let policy: NetworkPolicy
  private let limits: Limits
  private let agent: String
  private let authorities: String?
  private let pool: ThreadPool
  private let now: @Sendable () -> Int64

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - policy: the addresses to which it may connect.
  ///   - limits: the limits of one attempt.
  ///   - agent: the User-Agent.
  ///   - authorities: the path of a file of CA certificates; nil for the system's.
  ///   - pool: the threads for requests, because libcurl's simple interface blocks.
  ///   - now: returns the Unix time in seconds, for the signature.
  package init(
    policy: NetworkPolicy = .publicOnly,
    limits: Limits = Limits(),
    agent: String = "Fettle",
    authorities: String? = nil,
    pool: ThreadPool = ThreadPool(threads: 16, queueLimit: 1024),
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) {
    self.policy = policy
    self.limits = limits
    self.agent = agent
    self.authorities = authorities
    self.pool = pool
    self.now = now
  }

  /// Makes one attempt. It does not throw; every failure is an outcome on which the queue can act.
  ///
  /// Cancelling the task ends the attempt within about a second, with the verdict `retry`. The receiver may
  /// have received the delivery, and recognises a later attempt by the delivery's id.
  package func deliver(_ webhook: Webhook) async -> DeliveryOutcome {
    guard let headers = webhook.headers(at: now(), agent: agent) else {
      return DeliveryOutcome(.failed, reason: "a header value is empty or not printable ASCII")
    }
    return await exchange(Message(url: webhook.url, headers: headers, body: webhook.body))
  }

  /// Fetches a URL once with GET, within the same limits and under the same policy as a delivery.
  ///
  /// - Parameter authorization: the value of the header `Authorization`; nil for none.
  package func fetch(_ url: String, authorization: String? = nil) async -> DeliveryOutcome {
    await request(url, ["Accept: application/json", "User-Agent: \(agent)"], authorization, body: nil)
  }

  /// Sends a form once with POST, within the same limits and under the same policy as a delivery.
  ///
  /// - Parameters:
  ///   - form: the form, as `application/x-www-form-urlencoded`.
  ///   - authorization: the value of the header `Authorization`; nil for none.
  package func submit(_ url: String, form: String, authorization: String? = nil) async -> DeliveryOutcome {
    let headers = [
      "Accept: application/json", "User-Agent: \(agent)", "Content-Type: application/x-www-form-urlencoded",
      "Expect:",
    ]
    return await request(url, headers, authorization, body: Array(form.utf8))
  }

  private func request(
    _ url: String,
    _ headers: [String],
    _ authorization: String?,
    body: [UInt8]?
  ) async -> DeliveryOutcome {
    if let authorization, !Webhook.isHeaderValue(authorization) {
      return DeliveryOutcome(.failed, reason: "the secret is empty or not printable ASCII")
    }
    let fields = headers + (authorization.map { ["Authorization: \($0)"] } ?? [])
    return await exchange(Message(url: url, headers: fields, body: body))
  }

  /// A request; a GET if `body` is nil, otherwise a POST.
  private struct Message: Sendable {
    let url: String
    let headers: [String]
    let body: [UInt8]?
  }

  private func exchange(_ message: Message) async -> DeliveryOutcome {
    if let fault = Webhook.fault(in: message.url) { return DeliveryOutcome(.failed, reason: fault) }
    let exchange = Exchange(policy: policy)
    return await withTaskCancellationHandler {
      do throws(SecretsError) {
        return try await pool.run { attempt(message, exchange) }
      } catch {
        return DeliveryOutcome(.retry(after: nil), reason: "too many deliveries are waiting already")
      }
    } onCancel: {
      exchange.isCancelled.store(true, ordering: .relaxed)
    }
  }

  /// The state that libcurl's callbacks read.
  private final class Exchange: Sendable {
    let policy: NetworkPolicy
    let isCancelled = Atomic(false)

    init(policy: NetworkPolicy) { self.policy = policy }

    static func at(_ context: UnsafeMutableRawPointer?) -> Exchange? {
      context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  private func attempt(_ message: Message, _ exchange: Exchange) -> DeliveryOutcome {
    let headers = message.headers
    let body = message.body ?? []
    if exchange.isCancelled.load(ordering: .relaxed) {
      return DeliveryOutcome(.retry(after: nil), reason: "the delivery was cancelled")
    }
    var request = curl_shim_request()
    request.connect_timeout_ms = Self.milliseconds(limits.connecting)
    request.timeout_ms = Self.milliseconds(limits.total)
    request.response_limit = limits.responseBytes
    request.context = Unmanaged.passUnretained(exchange).toOpaque()
    request.allows_address = { context, bytes, length in
      let bytes = UnsafeBufferPointer(start: bytes, count: length)
      guard let exchange = Exchange.at(context), let address = IPAddress(bytes: bytes) else { return false }
      return exchange.policy.allows(address)
    }
    request.is_cancelled = { context in
      Exchange.at(context)?.isCancelled.load(ordering: .relaxed) ?? true
    }
    return withExtendedLifetime(exchange) {
      CStrings.borrow([message.url] + headers + [authorities].compactMap { $0 }) { strings in
        body.withUnsafeBufferPointer { body in
          request.url = strings[0]
          request.headers = strings.baseAddress.map { $0 + 1 }
          request.header_count = headers.count
          request.ca_file = authorities == nil ? nil : strings[1 + headers.count]
          request.body = body.baseAddress
          request.body_length = body.count
          request.is_get = message.body == nil
          var result = curl_shim_result()
          curl_shim_post(&request, &result)
          defer { curl_shim_free(&result) }
          return Self.outcome(of: result)
        }
      }
    }
  }

  private static func outcome(of result: curl_shim_result) -> DeliveryOutcome {
    switch result.outcome {
    case CURL_SHIM_ANSWERED:
      return DeliveryOutcome(
        status: Int(result.status),
        body: Array(UnsafeBufferPointer(start: result.response, count: result.response_length)),
        isBodyTruncated: result.is_truncated,
        retryAfter: result.retry_after_seconds
      )
    case CURL_SHIM_REFUSED:
      return DeliveryOutcome(.failed, reason: "the receiver's address is not one that webhooks may reach")
    case CURL_SHIM_INVALID:
      return DeliveryOutcome(.failed, reason: "the URL cannot be used")
    case CURL_SHIM_CANCELLED:
      return DeliveryOutcome(.retry(after: nil), reason: "the delivery was cancelled")
    default:
      let cause = withUnsafeBytes(of: result.reason) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return DeliveryOutcome(
        .retry(after: nil),
        reason: "the receiver cannot be reached: \(cause)",
        isAttempted: true
      )
    }
  }

  /// Returns at least 1, because 0 would select libcurl's default of several minutes.
  private static func milliseconds(_ duration: Duration) -> Int {
    max(1, Int(duration / .milliseconds(1)))
  }
}
