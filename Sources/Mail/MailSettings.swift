internal import Domain
internal import Secrets

/// How this process sends mails.
package struct MailSettings: Sendable {
  /// The address that mails come from.
  package let from: MailAddress
  /// The beginning of links in mails, such as `https://app.example.com`; nil for mails without links.
  package let links: String?
  private let transport: Transport

  private enum Transport: Sendable {
    case smtp(SMTPServer, SMTPClient.Login?, authorities: String?)
    case sendmail(path: String, environment: [String: String])
  }

  /// Reads the settings from the command line or else the environment: `FETTLE_MAIL`, `FETTLE_MAIL_FROM`,
  /// `FETTLE_MAIL_SECRET`, `FETTLE_MAIL_CA` and `FETTLE_MAIL_LINKS`.
  ///
  /// - Parameters:
  ///   - mail: `smtp://…`, `smtps://…` or `sendmail:/path`.
  ///   - from: `fettle@example.com` or `Fettle <fettle@example.com>`.
  ///   - secret: the path of a file with the user on its first line and the password on its second.
  ///   - links: the beginning of links, `https://…`.
  /// - Returns: nil if no mail server is set.
  /// - Throws: `invalid_input`, `invalid_email`, or the error of the secret file.
  package static func read(
    mail: String? = nil,
    from: String? = nil,
    secret: String? = nil,
    links: String? = nil,
    environment: [String: String]
  ) throws -> MailSettings? {
    func value(_ option: String?, _ name: String) -> String? {
      (option ?? environment[name]).flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let mail = value(mail, "FETTLE_MAIL") else {
      guard from == nil, secret == nil, links == nil else {
        throw DomainError(.invalidInput, "no mail server is named", hint: "pass --mail, or set FETTLE_MAIL")
      }
      return nil
    }
    guard let from = value(from, "FETTLE_MAIL_FROM") else {
      throw DomainError(
        .invalidInput,
        "the sender address of mails is missing",
        hint: "pass --mail-from, or set FETTLE_MAIL_FROM"
      )
    }
    return MailSettings(
      from: try MailAddress(parsing: from),
      links: try value(links, "FETTLE_MAIL_LINKS").map(Self.linkBase),
      transport: try transport(
        mail,
        secret: value(secret, "FETTLE_MAIL_SECRET"),
        authorities: value(nil, "FETTLE_MAIL_CA"),
        environment
      )
    )
  }

  private init(from: MailAddress, links: String?, transport: Transport) {
    self.from = from
    self.links = links
    self.transport = transport
  }

  /// Returns a client for the server or the program.
  package func mailer() -> any Mailer {
    switch transport {
    case .smtp(let server, let login, let authorities):
      SMTPClient(server, login: login, authorities: authorities)
    case .sendmail(let path, let environment): SendmailClient(path: path, environment: environment)
    }
  }

  private static func transport(
    _ text: String,
    secret: String?,
    authorities: String?,
    _ environment: [String: String]
  ) throws -> Transport {
    if text.hasPrefix("sendmail:") {
      let path = String(text.dropFirst("sendmail:".count))
      guard path.hasPrefix("/"), !path.utf8.contains(0) else {
        throw DomainError(
          .invalidInput,
          "the path of the sendmail program is not absolute",
          hint: "write it like sendmail:/usr/sbin/sendmail"
        )
      }
      return .sendmail(path: path, environment: environment)
    }
    return .smtp(
      try SMTPServer(parsing: text),
      try secret.map { try login($0, environment) },
      authorities: authorities
    )
  }

  private static func login(_ path: String, _ environment: [String: String]) throws -> SMTPClient.Login {
    let lines = try SecretFile.read(path, credentials: environment["CREDENTIALS_DIRECTORY"])
      .split(whereSeparator: \.isNewline).map(String.init)
    guard lines.count == 2 else {
      throw DomainError(
        .invalidInput,
        "the secret file of the mail server has \(lines.count) lines instead of two",
        hint: "write the user on its first line and the password on its second"
      )
    }
    return SMTPClient.Login(user: lines[0], password: lines[1])
  }

  /// Returns the beginning of links without a slash at its end.
  private static func linkBase(_ text: String) throws(DomainError) -> String {
    let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) } ?? ""
    let isPlain =
      rest.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && !rest.contains(where: { "?#\"<>\\".contains($0) })
    guard !rest.isEmpty, !rest.hasPrefix("/"), isPlain else {
      throw DomainError(
        .invalidInput,
        "the URL of links in mails is not valid",
        hint: "write it like https://app.example.com"
      )
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
