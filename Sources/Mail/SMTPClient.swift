internal import CCurlShim
internal import Glibc
package import Secrets
internal import Synchronization

/// Submits mails to a server by SMTP (RFC 5321, RFC 6409), encrypted unless the server is on loopback.
package struct SMTPClient: Mailer {
  /// The credentials of a mail server.
  package struct Login: Sendable {
    let user: String
    let password: String

    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  private let server: SMTPServer
  private let login: Login?
  private let authorities: String?
  private let connecting: Duration
  private let total: Duration
  private let pool: ThreadPool

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - login: nil to submit without signing in.
  ///   - authorities: the path of a file of CA certificates; nil for the system's.
  ///   - connecting: the timeout for connecting, including name lookup and TLS.
  ///   - total: the timeout for one mail.
  ///   - pool: the threads for submissions, because libcurl's simple interface blocks.
  package init(
    _ server: SMTPServer,
    login: Login? = nil,
    authorities: String? = nil,
    connecting: Duration = .seconds(10),
    total: Duration = .seconds(40),
    pool: ThreadPool = ThreadPool(threads: 4, queueLimit: 1_024)
  ) {
    self.server = server
    self.login = login
    self.authorities = authorities
    self.connecting = connecting
    self.total = total
    self.pool = pool
  }

  package func send(_ message: MailMessage) async -> MailOutcome {
    let bytes: [UInt8]
    do {
      bytes = try message.rendered()
    } catch {
      return .permanent(reason: error.message, nil, isAddress: false)
    }
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      do throws(SecretsError) {
        return try await pool.run { submit(bytes, from: message.from, to: message.to, cancellation) }
      } catch {
        return .temporary(reason: "too many mails are waiting already", nil)
      }
    } onCancel: {
      cancellation.isCancelled.store(true, ordering: .relaxed)
    }
  }

  /// The state that libcurl's callback reads.
  private final class Cancellation: Sendable {
    let isCancelled = Atomic(false)
  }

  private func submit(
    _ bytes: [UInt8],
    from: MailAddress,
    to: MailAddress,
    _ cancellation: Cancellation
  ) -> MailOutcome {
    var request = curl_shim_mail_request()
    request.requires_tls = server.requiresTLS
    // 0 would select libcurl's default of several minutes.
    request.connect_timeout_ms = max(1, Int(connecting / .milliseconds(1)))
    request.timeout_ms = max(1, Int(total / .milliseconds(1)))
    request.context = Unmanaged.passUnretained(cancellation).toOpaque()
    request.is_cancelled = { context in
      guard let context else { return true }
      return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isCancelled.load(
        ordering: .relaxed
      )
    }
    let texts = [server.url, from.address, to.address, login?.user, login?.password, authorities]
    return withExtendedLifetime(cancellation) {
      CTexts.borrow(texts) { texts in
        bytes.withUnsafeBufferPointer { bytes in
          request.url = texts[0]
          request.sender = texts[1]
          request.recipient = texts[2]
          request.user = texts[3]
          request.password = texts[4]
          request.ca_file = texts[5]
          request.message = bytes.baseAddress
          request.message_length = bytes.count
          var result = curl_shim_mail_result()
          curl_shim_mail(&request, &result)
          return Self.outcome(of: result)
        }
      }
    }
  }

  private static func outcome(of result: curl_shim_mail_result) -> MailOutcome {
    let text = withUnsafeBytes(of: result.answer) { Self.line($0) }
    let reason = withUnsafeBytes(of: result.reason) { Self.line($0) }
    let answer = result.status == 0 ? nil : MailAnswer(code: Int(result.status), text: text)
    return switch result.outcome {
    case CURL_SHIM_MAIL_ACCEPTED: .accepted(answer ?? MailAnswer(code: 250, text: ""))
    case CURL_SHIM_MAIL_ANSWERED: refusal(Int(result.status), text, at: result.stage)
    case CURL_SHIM_MAIL_UNENCRYPTED:
      .temporary(
        reason: "the mail server offers no encryption; Fettle sends plain text to loopback only",
        nil
      )
    case CURL_SHIM_MAIL_REMOTE:
      .temporary(reason: "the mail server's name is that of this machine, but its address is not", nil)
    case CURL_SHIM_MAIL_INVALID: .temporary(reason: "the URL of the mail server cannot be used", nil)
    case CURL_SHIM_MAIL_CANCELLED: .temporary(reason: "the mail was cancelled", nil)
    default: .temporary(reason: "the mail server cannot be reached: \(reason)", nil)
    }
  }

  /// Returns the outcome of a refusal.
  ///
  /// The refusal of a login or a sender is temporary, whatever its code: the operator can correct the settings.
  private static func refusal(_ status: Int, _ text: String, at stage: curl_shim_mail_stage) -> MailOutcome {
    let answer = MailAnswer(code: status, text: text)
    let place =
      switch stage {
      case CURL_SHIM_MAIL_AUTH: "the login"
      case CURL_SHIM_MAIL_SENDER: "the sender"
      case CURL_SHIM_MAIL_RECIPIENT: "the recipient"
      case CURL_SHIM_MAIL_CONTENT: "the message"
      default: "the connection"
      }
    let reason = "the mail server refused \(place): \(status) \(text)"
    guard status >= 500, [CURL_SHIM_MAIL_RECIPIENT, CURL_SHIM_MAIL_CONTENT].contains(stage) else {
      return .temporary(reason: reason, answer)
    }
    // 552: the mailbox is full, which says nothing about the address.
    return .permanent(reason: reason, answer, isAddress: stage == CURL_SHIM_MAIL_RECIPIENT && status != 552)
  }

  /// Returns the bytes up to the first NUL as one line of visible characters.
  private static func line(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    )
  }
}

/// Lends Swift strings to C functions as C strings.
private enum CTexts {
  /// Calls the body with copies of the strings, and frees them when the body returns. The copies are overwritten
  /// first, because one may be a password.
  static func borrow<Result>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = texts.map { $0.flatMap { strdup($0) } }
    defer {
      for copy in copies {
        guard let copy else { continue }
        explicit_bzero(copy, strlen(copy))
        free(copy)
      }
    }
    return body(copies.map { $0.map { UnsafePointer($0) } })
  }
}
