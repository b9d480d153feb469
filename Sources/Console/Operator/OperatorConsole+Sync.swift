internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import SyncProtocol
internal import Web

/// The devices of companies, and changes that wait for a person.
extension OperatorConsole {
  var syncRoutes: [Route] {
    [
      page(.get, "/sync") { .page(try await sync($0, of: $0.asked("company")), for: $0.request) },
      page(.post, "/sync/{company}/{device}/revoke", revoke(_:)),
      page(.post, "/sync/{company}/{device}/{no}/{verb}", decide(_:)),
    ]
  }

  private func sync(_ visit: OperatorVisit, of asked: String?, fault: DomainError? = nil) async throws -> HTML
  {
    let words = visit.words
    let (form, company) = try await companyForm("sync", asked, visit)
    let table = CellTable(
      label: words("operator.waiting"),
      heads: [
        .init(words("operator.company")), .init(words("operator.conflicts"), isNumber: true),
        .init(words("operator.failed"), isNumber: true), .init(words("company.since")),
      ],
      rows: try await undecided().map { row in
        [
          "<a href=\"\(link: Place(["sync"], query: [("company", row.company)]))\">\(own: row.company)</a>",
          "\(visit.number(row.conflicts))", "\(visit.number(row.failed))", visit.moments.html(row.since),
        ]
      },
      empty: "<p>\(words("operator.waiting.none"))</p>"
    )
    let devices: HTML = if let company { try await devices(of: company, visit) } else { .none }
    return visit.html(
      "sync",
      fault: fault,
      """
      <p class="quiet">\(words("device.text"))</p><h2>\(words("operator.waiting"))</h2>\(table.html)
      <h2>\(words("operator.of-company"))</h2>\(form)\(devices)
      """
    )
  }

  private func devices(of company: String, _ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let status = try await SyncReview(services, try await .open(services)).status(
      try await acting(company),
      all: true
    )
    let names = Dictionary(status.devices.map { ($0.id, $0) }) { first, _ in first }
    let changes = CellTable(
      label: "\(words("device.conflicts")): \(company)",
      heads: [
        .init(words("operator.type")), .init(words("device.of")), .init(words("people.state")),
        .init(words("audit.what")), .init(words("company.since")),
        .init(words("people.actions"), isUnseen: true),
      ],
      rows: status.items.map { item in
        let isConflict = item.status == "conflict"
        let verbs: [String] = isConflict ? ["mine", "server", "merge", "retry"] : ["retry", "discard"]
        let buttons = verbs.map { verb in
          ActionButton.html(
            Place(["sync", company, item.device.text, "\(item.no)", verb]),
            words("device.take.\(verb)"),
            of: "\(item.recordType) \(item.no)"
          )
        }
        return [
          "\(item.recordType) <span class=\"quiet\">\(String(item.recordID.text.prefix(8)))</span>",
          "\(own: names[item.device]?.userName ?? "")",
          Pill.html(
            words(isConflict ? "operator.conflict" : "operator.failed.one"),
            isConflict ? .active : .failed
          ),
          "\(words.known("device.op.\(item.operation)") ?? item.operation) <span class=\"quiet\">\(item.code ?? "")</span>",
          visit.moments.html(item.updatedAt), .joined(buttons),
        ]
      },
      empty: "<p>\(words("operator.waiting.none"))</p>"
    )
    let table = CellTable(
      label: words("device.all"),
      heads: [
        .init(words("device.name")), .init(words("device.of")), .init(words("device.waits"), isNumber: true),
        .init(words("device.sent")), .init(words("device.got")), .init(words("people.state")),
        .init(words("people.actions"), isUnseen: true),
      ],
      rows: status.devices.map { device in
        let name = device.name.isEmpty ? device.platform : device.name
        return [
          "\(own: name)", "\(own: device.userName)", "\(visit.number(device.queue.pending))",
          visit.moments.html(device.lastPushAt), visit.moments.html(device.lastPullAt),
          device.revokedAt == nil
            ? Pill.html(words("people.active"), .done) : Pill.html(words("device.revoked"), .failed),
          device.revokedAt != nil
            ? .none
            : ActionButton.html(
              Place(["sync", company, device.id.text, "revoke"]),
              words("device.revoke"),
              of: name,
              isDanger: true
            ),
        ]
      },
      empty: "<p>\(words("device.none"))</p>"
    )
    return """
      <h2>\(words("device.conflicts"))</h2>\(changes.html)<h2>\(words("device.all"))</h2>\(table.html)
      """
  }

  private func revoke(_ visit: OperatorVisit) async throws -> APIAnswer {
    let (company, device) = (try visit.request.parameter("company"), try visit.request.id("device"))
    return try await change(
      to: Place(["sync"], query: [("company", company)]),
      again: { try await sync(visit, of: company, fault: $0) }
    ) {
      try await Devices(services, try await .open(services)).revoke(try await acting(company), device)
    }
  }

  private func decide(_ visit: OperatorVisit) async throws -> APIAnswer {
    let (company, device) = (try visit.request.parameter("company"), try visit.request.id("device"))
    let verb = try visit.request.parameter("verb")
    guard let no = Int64(try visit.request.parameter("no")), no > 0 else { throw DomainError(.notFound) }
    let decision = SyncReview.Decision(rawValue: verb)
    guard decision != nil || verb == "retry" else { throw DomainError(.notFound) }
    return try await change(
      to: Place(["sync"], query: [("company", company)]),
      again: { try await sync(visit, of: company, fault: $0) }
    ) {
      let review = SyncReview(services, try await .open(services))
      if let decision {
        _ = try await review.resolve(try await acting(company), device: device, no: no, decision)
      } else {
        try await review.retry(try await acting(company), device: device, no: no)
      }
    }
  }
}
