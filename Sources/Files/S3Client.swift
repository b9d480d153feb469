internal import CCurlShim
internal import Glibc
internal import Secrets

/// Sends signed requests to a bucket. libcurl signs them (AWS signature 4).
struct S3Client: Sendable {
  /// A request for one object.
  struct Request: Sendable {
    var method: String
    /// The key, without the prefix of the place; its characters need no escape. Empty for the bucket.
    var key: String
    /// What follows the path, as `?name=value` in the order of names; empty for nothing.
    var query = ""
    var body: [UInt8] = []
    /// The requested bytes; nil for all.
    var range: Range<Int>?
  }

  /// An answer of the service.
  struct Answer: Sendable {
    let status: Int
    let body: [UInt8]
  }

  private static let largestAnswer = 2 << 20

  let place: S3Place
  private let credentials: S3Place.Credentials
  private let pool: ThreadPool

  init(_ place: S3Place, _ credentials: S3Place.Credentials, pool: ThreadPool) {
    self.place = place
    self.credentials = credentials
    self.pool = pool
  }

  /// A request without an answer.
  struct Silence: Error {
    /// The words of libcurl, which name no address.
    let reason: String
  }

  /// Sends a request and returns the answer, whatever its status.
  ///
  /// - Throws: `busy`, or `unavailable` without an answer.
  func send(_ request: Request) async throws(FilesError) -> Answer {
    switch try await attempt(request) {
    case .success(let answer): return answer
    case .failure(let silence):
      throw FilesError(.unavailable, "the store of files cannot be reached: \(silence.reason)")
    }
  }

  /// Sends a request and returns the answer, or why there is none.
  ///
  /// - Throws: `busy`.
  func attempt(_ request: Request) async throws(FilesError) -> Result<Answer, Silence> {
    do {
      return try await pool.run { exchange(request) }
    } catch {
      throw FilesError(.busy, "too many requests to the store of files are waiting")
    }
  }

  private func exchange(_ message: Request) -> Result<Answer, Silence> {
    let prefix = place.prefix.isEmpty ? "" : "\(place.prefix)/"
    let path = message.key.isEmpty ? "" : "/\(prefix)\(message.key)"
    var headers = [
      "x-amz-content-sha256: \(Hex.encode(SHA256.hash(message.body)))",
      "Content-Type: application/octet-stream",
    ]
    if let range = message.range {
      headers.append("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
    }
    if let token = credentials.sessionToken { headers.append("x-amz-security-token: \(token)") }
    let strings = [
      "\(place.root)\(path)\(message.query)", message.method, "aws:amz:\(place.region):s3",
      credentials.accessKey,
      credentials.secretKey,
    ]
    let copies = (strings + headers).map { strdup($0) }
    let authorities = place.authorities.flatMap { strdup($0) }
    defer { (copies + [authorities]).forEach { free($0) } }
    var request = curl_shim_request()
    request.connect_timeout_ms = 5_000
    request.timeout_ms = 60_000
    request.response_limit = Self.largestAnswer
    // The operator chose the endpoint, so every address is allowed.
    request.allows_address = { _, _, _ in true }
    request.is_cancelled = { _ in false }
    request.is_get = message.body.isEmpty && message.method != "PUT"
    request.url = UnsafePointer(copies[0])
    request.method = UnsafePointer(copies[1])
    request.aws_sigv4 = UnsafePointer(copies[2])
    request.username = UnsafePointer(copies[3])
    request.password = UnsafePointer(copies[4])
    request.ca_file = UnsafePointer(authorities)
    let lines = copies.dropFirst(strings.count).map { UnsafePointer($0) }
    return lines.withUnsafeBufferPointer { lines in
      message.body.withUnsafeBufferPointer { body in
        request.headers = lines.baseAddress
        request.header_count = lines.count
        request.body = body.baseAddress
        request.body_length = body.count
        var result = curl_shim_result()
        curl_shim_post(&request, &result)
        defer { curl_shim_free(&result) }
        guard result.outcome == CURL_SHIM_ANSWERED, !result.is_truncated else {
          let reason = withUnsafeBytes(of: result.reason) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          }
          return .failure(Silence(reason: result.is_truncated ? "its answer is too long" : reason))
        }
        return .success(
          Answer(
            status: Int(result.status),
            body: Array(UnsafeBufferPointer(start: result.response, count: result.response_length))
          )
        )
      }
    }
  }
}
