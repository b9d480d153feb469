/// The server's answer to a submission.
package struct MailAnswer: Sendable, Equatable {
  /// The code of SMTP, such as 250 or 550, or the exit status of the sendmail program.
  package let code: Int
  /// The text of the answer, one line.
  package let text: String

  package init(code: Int, text: String) {
    self.code = code
    self.text = text
  }
}

/// The result of one attempt to send a mail.
package enum MailOutcome: Sendable, Equatable {
  /// The server took the mail and is responsible for it now.
  case accepted(MailAnswer)
  /// A later attempt may succeed. Without an answer, the server was not reached or did not answer; it may have
  /// taken the mail if the connection broke after the content.
  case temporary(reason: String, MailAnswer?)
  /// No later attempt can succeed.
  ///
  /// - isAddress: true if the server refused the recipient's address, rather than the sender or the content.
  case permanent(reason: String, MailAnswer?, isAddress: Bool)
}
