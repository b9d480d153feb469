internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The state of a company before an activation begins, and the planned changes.
struct ActivationSurvey: Sendable {
  /// The version installed first. A company that has chosen no version follows it.
  let first: WorkflowStore.Choice
  /// The version that the company follows now.
  let choice: WorkflowStore.Choice
  let current: WorkflowDefinition
  /// The new version, tightened by the company's overlay of that version, if there is one.
  let next: WorkflowDefinition
  let plan: ActivationPlan
  /// The members as whom the records are read: every member for a private type, otherwise only nil.
  let owners: [UUID?]
  /// The number of live records without the status and category that the new version requires.
  let misplaced: Int

  /// True if the activation would change nothing.
  var isDone: Bool { choice == WorkflowStore.Choice(version: plan.next) && misplaced == 0 }
}

extension Workflows {
  /// Reads the changes that an activation would make. Requires `workflow.activate`.
  ///
  /// - Throws: `not_found` for a version that was never installed, `invalid_input` for an older version if
  ///   the company has records.
  func survey(_ acting: ActingContext, _ name: String, _ version: Int) async throws -> ActivationSurvey {
    let type = try records.catalogue.type(name)
    return try await administration.read(acting, permission: "workflow.activate") { tx, rights in
      try rights.require("workflow.activate", for: .write)
      let versions = try WorkflowStore.versions(of: name, for: acting.company.id, tx)
      let bases = try WorkflowStore.bases(of: name, for: acting.company.id, tx)
      let first = WorkflowStore.Choice(version: versions.first ?? version)
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      let choice = choices.versions[name] ?? first
      let overlays = choices.overlays[name] ?? []
      func followed(_ version: Int) throws -> WorkflowDefinition {
        let definition = try Self.definition(of: name, version: version, versions, tx)
        return overlays.first { $0.version == version }.map(definition.tightened(by:)) ?? definition
      }
      let next = try followed(version)
      let current = try followed(choice.version)
      let owners = try Self.owners(of: type, acting.company, tx)
      let counts = try Self.counts(of: type, owners, acting, tx)
      // A company without records may choose any version.
      // An own version is as old as the app's version from which it was made, to which the company may return.
      guard bases[version] ?? version >= bases[choice.version] ?? choice.version || counts.isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(acting.company.slug) follows version \(choice.version) of \(name), which is newer than \(version)",
          hint: "install the older rules as a new version"
        )
      }
      let plan = ActivationPlan(from: current, to: next, counts: Self.byStatus(counts))
      return ActivationSurvey(
        first: first,
        choice: choice,
        current: current,
        next: next,
        plan: plan,
        owners: owners,
        misplaced: Self.misplaced(counts, plan.places)
      )
    }
  }

  /// Returns the members as whom the records are read. Private records are visible only to their owners.
  private static func owners(of type: RecordType, _ company: CompanyRow, _ tx: Transaction) throws -> [UUID?]
  {
    guard type.definition.scope == .owner else { return [nil] }
    return try tx.rows(
      "select m.user_id from core.membership m where m.company_id = \(company.id) order by m.user_id",
      UUID.self
    )
  }

  /// Returns the numbers of live records by status and category, per owner.
  static func counts(of type: RecordType, _ owners: [UUID?], _ acting: ActingContext, _ tx: Transaction)
    throws
    -> [StatusCount]
  {
    let tickets = try tx.pipeline { pipeline in
      let tickets = owners.map { owner in
        if let owner { pipeline.execute("select set_config('fettle.user_id', \(owner.text), true)") }
        return pipeline.rows(type.countByStatus(company: acting.company.id), as: StatusCount.self)
      }
      pipeline.execute("select set_config('fettle.user_id', \(acting.user?.text ?? ""), true)")
      return tickets
    }
    return try tickets.flatMap { try $0.all }
  }

  static func byStatus(_ counts: [StatusCount]) -> [String: Int] {
    Dictionary(counts.map { ($0.status, Int($0.count)) }, uniquingKeysWith: +)
  }

  /// Returns the number of records whose status or category must change.
  static func misplaced(_ counts: [StatusCount], _ places: [ActivationPlan.Place]) -> Int {
    counts.reduce(0) { sum, line in
      guard let place = places.first(where: { $0.from == line.status }) else { return sum }
      let isThere = place.state.name == line.status && place.state.category.rawValue == line.category
      return isThere ? sum : sum + Int(line.count)
    }
  }

  /// Sets the company's overlay for the new version too, unless that version has an overlay.
  ///
  /// - Throws: `invalid_workflow` if the overlay does not fit the new version. Another overlay has to be set
  ///   first.
  static func carryOverlay(
    of name: String,
    from current: Int,
    to survey: ActivationSurvey,
    _ choices: WorkflowStore.Choices,
    _ company: CompanyRow,
    _ tx: Transaction
  ) throws {
    let overlays = choices.overlays[name] ?? []
    guard let overlay = overlays.first(where: { $0.version == current }), current != survey.plan.next,
      !overlays.contains(where: { $0.version == survey.plan.next })
    else { return }
    let carried = overlay.written(for: survey.plan.next)
    let findings = carried.validate(against: survey.next)
    guard findings.isEmpty else {
      throw OverlayRefusal.error(
        findings,
        "the overlay of \(company.slug) for version \(current) does not fit version \(survey.plan.next)",
        hint: "set an overlay for \(name)@\(survey.plan.next) first"
      )
    }
    try WorkflowStore.set(carried, company: company.id, tx)
  }
}
