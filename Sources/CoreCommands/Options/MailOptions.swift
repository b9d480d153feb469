package import ArgumentParser
internal import Domain
internal import FoundationEssentials
package import Mail
internal import Secrets

/// How a process sends mails: on the command line or in the environment.
package struct MailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Mail server or program: smtps://host, smtp://host with TLS except on this machine, or sendmail:/path (default: \
      FETTLE_MAIL, else mails wait in the queue)
      """,
      valueName: "url"
    )
  )
  package var mail: String?

  @Option(
    help: ArgumentHelp("Sender address of mails (default: FETTLE_MAIL_FROM)", valueName: "address")
  )
  package var mailFrom: String?

  @Option(
    name: .customLong("mail-secret-file"),
    help: ArgumentHelp(
      "File with the mail server's user and password on two lines (default: FETTLE_MAIL_SECRET)",
      valueName: "file"
    ),
    completion: .file()
  )
  package var mailSecret: String?

  @Option(
    help: ArgumentHelp(
      "URL before the paths of links in mails (default: FETTLE_MAIL_LINKS, else mails have codes only)",
      valueName: "url"
    )
  )
  package var mailLinks: String?

  package init() {}

  /// Returns the settings; nil if no mail server is named.
  ///
  /// - Throws: `invalid_input`, `invalid_email`, or the error of the secret file.
  package func settings() throws -> MailSettings? {
    try MailSettings.read(
      mail: mail,
      from: mailFrom,
      secret: mailSecret,
      links: mailLinks,
      environment: ProcessInfo.processInfo.environment
    )
  }
}
