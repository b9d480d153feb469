internal import Secrets

/// Tries a bucket before anything is set up in it, and says what is wrong.
package struct S3Probe: Sendable {
  /// Why a bucket cannot be used.
  package enum Fault: Error, Equatable {
    /// The service does not answer; with the words of libcurl, which name no address.
    case unreachable(String)
    /// The service does not know the key, or does not let it do this; with the service's own code, such as `AccessDenied`.
    case refused(String)
    /// The service has no such bucket.
    case missing
    /// Another answer, with its status and the service's own code.
    case answered(Int, String)
    /// The service returned other bytes than were stored.
    case mixedUp
  }

  private let client: S3Client

  package init(_ place: S3Place, _ credentials: S3Place.Credentials) {
    client = S3Client(place, credentials, pool: ThreadPool(threads: 1, queueLimit: 8))
  }

  /// Returns true if no key begins with the prefix of the place.
  package func isEmpty() async throws(Fault) -> Bool {
    let prefix = client.place.prefix.isEmpty ? "" : "\(client.place.prefix)/".replacing("/", with: "%2F")
    let query = "?list-type=2&max-keys=1&prefix=\(prefix)"
    let answer = try await send(S3Client.Request(method: "GET", key: "", query: query))
    return !String(decoding: answer.body, as: UTF8.self).contains("<Key>")
  }

  /// Writes an object, reads it and removes it.
  package func write() async throws(Fault) {
    let (key, text) = ("fettle-probe", Array("fettle".utf8))
    _ = try await send(S3Client.Request(method: "PUT", key: key, body: text))
    let found = try await send(S3Client.Request(method: "GET", key: key)).body
    _ = try await send(S3Client.Request(method: "DELETE", key: key))
    guard found == text else { throw .mixedUp }
  }

  private func send(_ request: S3Client.Request) async throws(Fault) -> S3Client.Answer {
    let outcome: Result<S3Client.Answer, S3Client.Silence>
    do { outcome = try await client.attempt(request) } catch { throw .unreachable(error.message) }
    let answer: S3Client.Answer
    switch outcome {
    case .success(let found): answer = found
    case .failure(let silence): throw .unreachable(silence.reason)
    }
    switch answer.status {
    case 200..<300: return answer
    case 401, 403: throw .refused(Self.code(answer))
    case 404: throw .missing
    default: throw .answered(answer.status, Self.code(answer))
    }
  }

  /// Returns the code in the body of an error: letters only, since the service is not trusted with more.
  private static func code(_ answer: S3Client.Answer) -> String {
    let text = String(decoding: answer.body.prefix(4_096), as: UTF8.self)
    guard let start = text.firstRange(of: "<Code>")?.upperBound else { return "without a code" }
    let code = text[start...].prefix(64).prefix { $0.isASCII && $0.isLetter }
    return code.isEmpty ? "without a code" : String(code)
  }
}
