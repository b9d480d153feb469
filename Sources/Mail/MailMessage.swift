package import Domain
internal import FoundationEssentials
internal import Secrets

/// A mail to one person, as plain text and as HTML.
package struct MailMessage: Sendable, Equatable {
  package let from: MailAddress
  package let to: MailAddress
  package let subject: String
  package let text: String
  package let html: String
  /// The id without angle brackets, such as `019a…@fettle.example`. The same for all attempts to send the same
  /// mail, so that receivers recognise a repeated one.
  package let messageID: String
  package let date: Instant

  package init(
    from: MailAddress,
    to: MailAddress,
    subject: String,
    text: String,
    html: String,
    messageID: String,
    date: Instant
  ) {
    self.from = from
    self.to = to
    self.subject = subject
    self.text = text
    self.html = html
    self.messageID = messageID
    self.date = date
  }

  /// Returns the message as it is transferred: ASCII in lines of at most 76 characters with CRLF.
  ///
  /// - Throws: ``MailError`` for a control character in a header, such as a line end.
  package func rendered() throws(MailError) -> [UInt8] {
    // Never a line of the parts: quoted-printable has no "=_".
    let boundary = "=_\(Hex.encode(SHA256.hash(messageID).prefix(16)))"
    var lines = ""
    lines += try HeaderText.plainField("From", from.headerText)
    lines += try HeaderText.plainField("To", to.headerText)
    lines += try HeaderText.field("Subject", subject)
    lines += try HeaderText.plainField("Date", date.headerText(zone: "+0000"))
    lines += try HeaderText.plainField("Message-ID", "<\(messageID)>")
    // Asks vacation programs not to answer (RFC 3834).
    lines += "Auto-Submitted: auto-generated\r\n"
    lines += "MIME-Version: 1.0\r\n"
    lines += "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"\r\n\r\n"
    for (type, content) in [("plain", text), ("html", html)] {
      lines += "--\(boundary)\r\n"
      lines += "Content-Type: text/\(type); charset=utf-8\r\n"
      lines += "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
      lines += QuotedPrintable.encode(content)
    }
    lines += "--\(boundary)--\r\n"
    return Array(lines.utf8)
  }
}
