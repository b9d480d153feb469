internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// What members let each other see and set of what is private to them.
extension Console {
  var grantRoutes: [Route] {
    [
      inside(.get, "/me/sharing") { .page(try await sharing($0), for: $0.request) },
      inside(.post, "/me/sharing", give(_:)), inside(.post, "/me/sharing/{grant}", endGrant(_:)),
      inside(.get, "/for/{grant}", granted(_:)),
    ]
  }

  var grants: MemberGrants { MemberGrants(services, records) }

  private func sharing(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws
    -> HTML
  {
    let frame = try await screens.frame(visit.acting)
    let (words, moments) = (Words.of(frame.language), Moments(frame))
    let rows = try await grants.list(visit.acting)
    let own = visit.acting.user
    func items(_ rows: [MemberGrants.Row]) -> [JSONObject] {
      rows.map { row in
        let types = Set(row.scopes.compactMap { $0.split(separator: ".").dropLast().joined(separator: ".") })
        let names = types.sorted().map { name -> String in
          let type = frame.types.first { $0.name == name }
          let label = type.map { TypeWords($0, words).plural } ?? name
          return row.scopes.contains("\(name).update") ? words("grant.change", label) : label
        }
        return [
          "id": .string(row.id.text), "who": .string(row.giver == own ? row.receiverName : row.giverName),
          "what": .string(names.joined(separator: ", ")), "until": .string(row.expiresAt?.rfc3339 ?? ""),
          "since": .string(row.createdAt.rfc3339), "valid": .bool(row.isValid),
        ]
      }
    }
    func table(_ title: String, _ rows: [MemberGrants.Row], isGiven: Bool) -> HTML {
      ItemTable(
        label: title,
        columns: [
          .init(words("people.name")) { item in
            let name = item["who"]?.string ?? ""
            guard !isGiven, item["valid"]?.bool == true else { return "\(own: name)" }
            return "<a href=\"\(link: visit.place("for", item["id"]?.string ?? ""))\">\(own: name)</a>"
          },
          .init(words("grant.what"), text: "what"), .init(words("grant.since")) { moments.html($0["since"]) },
          .init(words("link.until")) { item in
            item["until"]?.string?.isEmpty == true
              ? "\(words("company.plan.open"))" : moments.html(item["until"])
          },
          .init(words("people.actions"), isUnseen: true) { item in
            ActionButton.html(
              visit.place("me", "sharing", item["id"]?.string ?? ""),
              words(isGiven ? "grant.take" : "grant.leave"),
              of: item["who"]?.string ?? "",
              isDanger: true
            )
          },
        ],
        items: items(rows),
        empty: "<p>\(words(isGiven ? "grant.none.given" : "grant.none.got"))</p>"
      ).html
    }
    let given = rows.filter { $0.giver == own }
    let got = rows.filter { $0.giver != own }
    return Layout.page(
      visit,
      frame,
      title: words("grant.title"),
      at: "me",
      """
      <p class="crumb"><a href="\(link: visit.place("me"))">\(words("me.title"))</a></p><h1>\(words("grant.title"))</h1>
      \(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)
      <h2>\(words("grant.given"))</h2>\(table(words("grant.given"), given, isGiven: true))
      \(try await giveForm(visit, frame, form))
      <h2>\(words("grant.got"))</h2>\(table(words("grant.got"), got, isGiven: false))
      """
    )
  }

  private func giveForm(_ visit: Visit, _ frame: ScreenFrame, _ form: FormBody?) async throws -> HTML {
    let words = Words.of(frame.language)
    let types = MemberGrants.types(frame.types)
    guard !types.isEmpty, frame.may("member.read") else { return .none }
    let (members, _) = try await items(["v1", "members"], visit)
    let options = members.filter { $0["id"]?.string != visit.acting.user?.text }.map { member in
      Select.option(
        member["id"]?.string ?? "",
        member["name"]?.string ?? "",
        isChosen: member["id"]?.string == form?["to"]
      )
    }
    guard !options.isEmpty else { return .none }
    let fields = types.map { type -> HTML in
      let chosen = form?["t.\(type.name)"] ?? ""
      let choices = ["", "see", "change"].map {
        Select.option($0, words("grant.choice.\($0.isEmpty ? "no" : $0)"), isChosen: $0 == chosen)
      }
      let label = "\(TypeWords(type, words).app): \(TypeWords(type, words).plural)"
      return """
        <div class="field"><label for="t-\(type.name)">\(label)</label><select id="t-\(type.name)" name="t.\(type.name)">\(choices)</select></div>
        """
    }
    return """
      <details class="card"\(flag: "open", if: form != nil)><summary>\(words("grant.give"))</summary><p>\(words("grant.text"))</p>
      <form class="form" method="post" action="\(link: visit.place("me", "sharing"))">
      <div class="field"><label for="to">\(words("grant.to"))</label><select id="to" name="to">\(options)</select></div>
      <div class="pair">\(fields)</div>
      <div class="field"><label for="days">\(words("people.days")) <span class="optional">\(words("form.optional"))</span></label><input id="days" name="days" class="short" inputmode="numeric" value="\(form?["days"] ?? "")"></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("grant.give"))</button></div></form></details>
      """
  }

  private func give(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    return try await change(
      visit,
      to: visit.place("me", "sharing"),
      again: { try await sharing(visit, form, $0) }
    ) {
      guard let receiver = form.text("to").flatMap({ UUID(text: $0) }) else {
        throw DomainError(.missingFields, "nobody was chosen")
      }
      let chosen = form.below("t.")
      let days = try form.whole("days")
      _ = try await grants.give(
        visit.acting,
        to: receiver,
        seen: chosen.filter { $0.value == "see" }.map(\.name),
        changed: chosen.filter { $0.value == "change" }.map(\.name),
        days: days
      )
    }
  }

  private func endGrant(_ visit: Visit) async throws -> APIAnswer {
    guard let id = UUID(text: try visit.request.parameter("grant")) else { throw DomainError(.notFound) }
    try await grants.end(visit.acting, id)
    return .see(visit.place("me", "sharing"))
  }

  /// The first list of what somebody has granted.
  private func granted(_ visit: Visit) async throws -> APIAnswer {
    let entered = try await self.entered(visit)
    let frame = try await screens.frame(entered.acting)
    guard let type = frame.types.first(where: { $0.definition.scope == .owner }) else {
      throw DomainError(.notFound)
    }
    return .see(entered.place(of: type))
  }

  /// Returns the visit of somebody who acts on another member's records by a grant.
  ///
  /// - Throws: `not_found` for a grant that the person has not received, or that does not hold.
  func entered(_ visit: Visit) async throws -> Visit {
    guard let id = UUID(text: try visit.request.parameter("grant")) else { throw DomainError(.notFound) }
    let (acting, giver) = try await grants.entered(visit.acting, id)
    let caller = Caller(kind: .token, acting: acting, user: acting.user ?? id)
    let request = visit.request.sent(by: caller)
    return Visit(request, acting, grant: Visit.Grant(id: id, giver: giver))
  }
}
