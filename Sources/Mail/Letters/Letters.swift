package import Domain

/// The letters that Fettle writes, in the language of their reader.
package struct Letters: Sendable {
  package let language: Language
  /// The beginning of links; nil for letters without links.
  private let links: String?

  package init(_ language: Language, links: String? = nil) {
    self.language = language
    self.links = links
  }

  /// Asks the reader to confirm an e-mail address.
  ///
  /// - Parameters:
  ///   - name: the name of the reader.
  ///   - code: the secret that proves that the mail arrived.
  package func verification(name: String, code: String) -> Letter {
    switch language {
    case .english:
      Letter(
        language,
        subject: "Confirm your e-mail address",
        [.paragraph("\(greeting(name))\n\nplease confirm that this is your e-mail address.")]
          + secret(code, path: "verify", label: "Confirm the address", intro: "The code:")
          + [
            .remark("The code is valid for 3 days. If you did not ask for this mail, you can ignore it.")
          ]
      )
    case .swedish:
      Letter(
        language,
        subject: "Bekräfta din e-postadress",
        [.paragraph("\(greeting(name))\n\nbekräfta att detta är din e-postadress.")]
          + secret(code, path: "verify", label: "Bekräfta adressen", intro: "Koden:")
          + [
            .remark("Koden gäller i 3 dagar. Om du inte har bett om det här brevet kan du bortse från det.")
          ]
      )
    }
  }

  /// Lets the reader choose a new password.
  package func passwordReset(name: String, code: String) -> Letter {
    switch language {
    case .english:
      Letter(
        language,
        subject: "Reset your password",
        [.paragraph("\(greeting(name))\n\nwith this code you can choose a new password.")]
          + secret(code, path: "reset", label: "Choose a new password", intro: "The code:")
          + [
            .remark(
              """
              The code is valid for one hour and works once. All your sessions end when the password changes.
              If you did not ask for this mail, you can ignore it: your password stays as it is.
              """
            )
          ]
      )
    case .swedish:
      Letter(
        language,
        subject: "Återställ ditt lösenord",
        [.paragraph("\(greeting(name))\n\nmed den här koden kan du välja ett nytt lösenord.")]
          + secret(code, path: "reset", label: "Välj ett nytt lösenord", intro: "Koden:")
          + [
            .remark(
              """
              Koden gäller i en timme och fungerar en gång. Alla dina sessioner avslutas när lösenordet ändras.
              Om du inte har bett om det här brevet kan du bortse från det: ditt lösenord ändras inte.
              """
            )
          ]
      )
    }
  }

  /// Invites the reader to a company. Names that could be read as an address are left out; see ``QuotedName``.
  ///
  /// - Parameters:
  ///   - company: the name of the company.
  ///   - inviter: the name of the member who invites; nil for an operator.
  ///   - role: the label of the role.
  ///   - until: the last day of the code, such as `2026-12-07`.
  package func invitation(company: String, inviter: String?, role: String, code: String, until: String)
    -> Letter
  {
    let (company, inviter, role) = (
      QuotedName.shown(company), QuotedName.shown(inviter), QuotedName.shown(role)
    )
    switch language {
    case .english:
      let company = company ?? "a company"
      return Letter(
        language,
        subject: "Invitation to \(company)",
        [
          .paragraph(
            "Hello,\n\n\(inviter ?? "an administrator") invites you to join \(company) as \(role ?? "member")."
          )
        ]
          + secret(code, path: "join", label: "Join \(company)", intro: "Your invite code:")
          + [.remark("The code is valid until \(until), only with this e-mail address.")]
      )
    case .swedish:
      let company = company ?? "ett företag"
      return Letter(
        language,
        subject: "Inbjudan till \(company)",
        [
          .paragraph(
            "Hej,\n\n\(inviter ?? "en administratör") bjuder in dig till \(company) som \(role ?? "medlem")."
          )
        ]
          + secret(code, path: "join", label: "Gå med i \(company)", intro: "Din inbjudningskod:")
          + [.remark("Koden gäller till och med \(until), endast med den här e-postadressen.")]
      )
    }
  }

  /// Tells a member of a notice.
  package func notice(_ notice: Letter.Entry, company: String) -> Letter {
    Letter(
      language,
      subject: notice.title,
      [.paragraph(notice.body.isEmpty ? notice.title : "\(notice.title)\n\n\(notice.body)")]
        + inboxLink() + [.remark(membership(company))]
    )
  }

  /// Lists the open notices of a member.
  ///
  /// - Parameters:
  ///   - notices: the notices, oldest first.
  ///   - more: the number of further notices that the letter leaves out.
  package func digest(_ notices: [Letter.Entry], more: Int, company: String) -> Letter {
    let count = notices.count + more
    let (subject, intro, rest) =
      switch language {
      case .english:
        (
          "\(count) open \(count == 1 ? "notice" : "notices") from \(company)",
          "Your open notices from \(company):", "… and \(more) more."
        )
      case .swedish:
        (
          "\(count) \(count == 1 ? "oläst avisering" : "olästa aviseringar") från \(company)",
          "Dina olästa aviseringar från \(company):", "… och \(more) till."
        )
      }
    return Letter(
      language,
      subject: subject,
      [.paragraph(intro), .list(notices)] + (more > 0 ? [.paragraph(rest)] : [])
        + inboxLink() + [.remark(membership(company))]
    )
  }

  /// Shows an operator that mails arrive.
  package func test() -> Letter {
    switch language {
    case .english:
      Letter(language, subject: "Test mail from Fettle", [.paragraph("Mails from this installation arrive.")])
    case .swedish:
      Letter(
        language,
        subject: "Testbrev från Fettle",
        [.paragraph("Brev från den här installationen kommer fram.")]
      )
    }
  }

  /// Returns the first line of a letter to an address that may be a stranger's.
  private func greeting(_ name: String) -> String {
    let words = [language == .english ? "Hello" : "Hej"] + [QuotedName.shown(name)].compactMap(\.self)
    return words.joined(separator: " ") + ","
  }

  /// Returns a code, with a link before it if there are links. The code is in the link's fragment, which browsers
  /// send to no server and write into no log.
  private func secret(_ code: String, path: String, label: String, intro: String) -> [Letter.Block] {
    let link: [Letter.Block] = links.map { [.link(label, url: "\($0)/\(path)#\(code)")] } ?? []
    return link + [.paragraph(intro), .code(code)]
  }

  private func inboxLink() -> [Letter.Block] {
    guard let links else { return [] }
    return [.link(language == .english ? "Open the inbox" : "Öppna inkorgen", url: "\(links)/inbox")]
  }

  private func membership(_ company: String) -> String {
    switch language {
    case .english:
      "You get this mail as a member of \(company). Your preferences decide which notices are mailed."
    case .swedish:
      "Du får det här brevet som medlem i \(company). Dina inställningar avgör vilka aviseringar som skickas."
    }
  }
}
