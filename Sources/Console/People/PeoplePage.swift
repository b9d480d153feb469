internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The people of a company, with what the person who looks may change.
struct PeoplePage {
  let visit: Visit
  let frame: ScreenFrame
  let members: [JSONObject]
  let roles: [JSONObject]
  let invites: [JSONObject]
  let fault: DomainError?
  /// The invitation that was made just now, with its code; nil for none.
  let made: JSONObject?
  /// The fields of the invitation that was refused, to be shown again; nil for none.
  let form: FormBody?
  let key: String

  private var words: Words { Words.of(frame.language) }

  var html: HTML {
    let error = fault.map { Notice.bar(ErrorWords.text($0, words), "bad") } ?? .none
    return Layout.page(
      visit,
      frame,
      title: words("people.title"),
      at: "people",
      """
      <h1>\(words("people.title"))</h1>\(error)\(code)
      \(table)
      \(frame.may("invite.create") ? inviteForm : .none)
      \(invites.isEmpty ? .none : inviteTable)
      """
    )
  }

  /// The code that was made, as text, address and QR code. It is shown once.
  private var code: HTML {
    guard let code = made?["code"]?.string else { return .none }
    let address = "\(visit.request.origin)\(Place(["sign-up"], query: [("code", code)]).text)"
    let picture = QRCode.picture(address, label: words("people.qr")) ?? .none
    return """
      <section class="card"><h2>\(words("people.made"))</h2><p>\(words("people.made.text"))</p>
      <p class="code">\(code)</p><p><a href="\(address)">\(address)</a></p>\(picture)</section>
      """
  }

  private var table: HTML {
    let rows = members.map { member -> HTML in
      let id = member["id"]?.string ?? ""
      let isOwn = id == visit.acting.user?.text
      let status = member["status"]?.string ?? ""
      let shown: HTML =
        status == "active"
        ? "<span class=\"pill green\">\(Icon.state(.done))\(words("people.active"))</span>"
        : "<span class=\"pill yellow\">\(Icon.state(.open))\(words("people.suspended"))</span>"
      return """
        <tr><th scope="row">\(own: member["name"]?.string ?? "")</th><td data-label="\(words("account.email"))">\(own: member["email"]?.string ?? "")</td>
        <td data-label="\(words("people.role"))">\(role(member, id, isOwn: isOwn))</td><td>\(shown)</td><td>\(isOwn ? .none : actions(id, status, member["name"]?.string ?? ""))</td></tr>
        """
    }
    return """
      <div class="scroll" role="region" aria-label="\(words("people.title"))" tabindex="0"><table class="list people"><thead><tr><th scope="col">\(words("people.name"))</th><th scope="col">\(words("account.email"))</th><th scope="col">\(words("people.role"))</th><th scope="col">\(words("people.state"))</th><th scope="col"><span class="unseen">\(words("people.actions"))</span></th></tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }

  private func role(_ member: JSONObject, _ id: String, isOwn: Bool) -> HTML {
    let name = member["role"]?.string ?? ""
    guard frame.may("member.update"), !isOwn, !roles.isEmpty else { return "\(label(name))" }
    let options = roles.map { role in
      Select.option(
        role["role"]?.string ?? "",
        label(role["role"]?.string ?? ""),
        isChosen: role["role"]?.string == name
      )
    }
    return """
      <form class="inline" method="post" action="\(link: visit.place("people", id, "role"))"><label class="unseen" for="role-\(id)">\(words("people.role.of", member["name"]?.string ?? ""))</label><select id="role-\(id)" name="role">\(options)</select><button class="button small" type="submit">\(words("form.save"))</button></form>
      """
  }

  private func label(_ role: String) -> String {
    words.known("role.\(role)") ?? roles.first { $0["role"]?.string == role }?["label"]?.string ?? role
  }

  private func actions(_ id: String, _ status: String, _ name: String) -> HTML {
    guard frame.may("member.update") else { return .none }
    let verb = status == "active" ? "suspend" : "resume"
    let remove: HTML =
      frame.may("member.remove")
      ? ActionButton.asking(
        visit.place("people", id, "remove"),
        words("people.remove"),
        of: name,
        words("people.remove.text", name)
      ) : .none
    return """
      <form class="inline" method="post" action="\(link: visit.place("people", id, verb))"><button class="button small" type="submit">\(words("people.\(verb)"))<span class="unseen"> \(name)</span></button></form>\(remove)
      """
  }

  private var inviteForm: HTML {
    let options = roles.filter { $0["role"]?.string != "guest" }.map { role in
      Select.option(
        role["role"]?.string ?? "",
        label(role["role"]?.string ?? ""),
        isChosen: role["role"]?.string == form?["role"] ?? "user"
      )
    }
    return """
      <section class="card"><h2>\(words("people.invite"))</h2><p class="quiet">\(words("people.invite.text"))</p>
      <form class="form" method="post" action="\(link: visit.place("people", "invite"))">\(hidden("key", key))
      <div class="pair"><div class="field"><label for="invite-role">\(words("people.role"))</label><select id="invite-role" name="role">\(options)</select></div>
      <div class="field"><label for="invite-uses">\(words("people.uses"))</label><input id="invite-uses" name="uses" inputmode="numeric" class="short" value="\(form?["uses"] ?? "1")"></div>
      <div class="field"><label for="invite-days">\(words("people.days"))</label><input id="invite-days" name="days" inputmode="numeric" class="short" value="\(form?["days"] ?? "14")"></div></div>
      <div class="field"><label for="invite-email">\(words("people.email")) <span class="optional">\(words("form.optional"))</span></label><input id="invite-email" name="email" type="email" value="\(form?["email"] ?? "")"></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("people.make"))</button></div></form></section>
      """
  }

  private var inviteTable: HTML {
    let rows = invites.map { invite -> HTML in
      let id = invite["id"]?.string ?? ""
      let isActive = invite["state"]?.string == "active"
      let revoke: HTML =
        isActive && frame.may("invite.revoke")
        ? """
        <form class="inline" method="post" action="\(link: visit.place("people", "invites", id, "revoke"))"><button class="button small" type="submit">\(words("people.revoke"))</button></form>
        """ : .none
      let used = "\(invite["used"]?.number?.integer ?? 0) / \(invite["uses"]?.number?.integer ?? 0)"
      let state = invite["state"]?.string ?? ""
      return """
        <tr><th scope="row">\(invite["code_end"]?.string ?? "")</th><td data-label="\(words("people.role"))">\(label(invite["role"]?.string ?? ""))</td><td data-label="\(words("people.used"))">\(used)</td><td>\(words.known("invite.\(state)") ?? state)</td><td>\(own: invite["email"]?.string ?? "")</td><td>\(revoke)</td></tr>
        """
    }
    return """
      <section class="card"><h2>\(words("people.invites"))</h2><table class="list"><thead><tr><th scope="col">\(words("people.code"))</th><th scope="col">\(words("people.role"))</th><th scope="col">\(words("people.used"))</th><th scope="col">\(words("people.state"))</th><th scope="col">\(words("account.email"))</th><th scope="col"><span class="unseen">\(words("people.actions"))</span></th></tr></thead><tbody>\(rows)</tbody></table></section>
      """
  }
}
