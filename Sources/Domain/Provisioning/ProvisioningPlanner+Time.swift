extension ProvisioningPlanner {
  /// Plans the entitlements, compared by name and member.
  ///
  /// - Throws: `not_found` for a person who is not a member, with the position in the file.
  func entitlements(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) throws {
    guard let entitlements = wanted.entitlements else { return }
    let people = Set((wanted.members ?? []).map(\.key) + (current?.members ?? []).map(\.key))
    var left = Dictionary(
      (current?.entitlements ?? []).map { ($0.text, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for (index, entitlement) in entitlements.enumerated() {
      let place = "\(path).entitlements[\(index)]"
      let before = left.removeValue(forKey: entitlement.text)
      if before == nil, let member = entitlement.member, !people.contains(member) {
        let closest = Suggestion.closest(to: member, among: people.sorted())
        throw DomainError(
          .notFound,
          "\(wanted.slug) has no member \(Quoted(member))",
          hint: closest.map { "did you mean \($0)?" } ?? "add the member under members:"
        ).standing(at: place)
      }
      guard before?.until != entitlement.until || before?.from != entitlement.from || before == nil else {
        plan.unchanged.append(("entitlement", entitlement.text))
        continue
      }
      let facts = [
        difference("from", before?.from?.rfc3339, entitlement.from?.rfc3339),
        difference(
          "until",
          before?.until?.rfc3339 ?? (before == nil ? nil : "no end"),
          entitlement.until?.rfc3339 ?? "no end"
        ),
      ].compactMap { $0 }
      plan.steps.append(
        ProvisioningStep(
          before == nil ? .created : .changed,
          "entitlement",
          entitlement.text,
          facts,
          path: place,
          do: .grantEntitlement(entitlement)
        )
      )
    }
    for entitlement in left.values.sorted(by: { $0.text < $1.text }) {
      guard prunes else {
        plan.extra.append(("entitlement", entitlement.text))
        continue
      }
      removals.append(
        ProvisioningStep(.removed, "entitlement", entitlement.text, do: .revokeEntitlement(entitlement))
      )
    }
  }

  /// Plans the schedules. Apps define them, so none is created or removed.
  ///
  /// - Throws: `not_found` for an unknown schedule, with the position in the file.
  func schedules(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan
  ) throws {
    for schedule in wanted.schedules ?? [] {
      let place = "\(path).schedules.\(schedule.name)"
      let before = current?.schedules?.first { $0.name == schedule.name }
      guard before != nil || schedules.contains(schedule.name) else {
        let closest = Suggestion.closest(to: schedule.name, among: schedules)
        throw DomainError(
          .notFound,
          "no installed app has a schedule \(Quoted(schedule.name))",
          hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(schedules.joined(separator: ", "))"
        ).standing(at: place)
      }
      let isPaused = before?.isPaused ?? false
      guard isPaused != schedule.isPaused else {
        plan.unchanged.append(("schedule", schedule.name))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          .changed,
          "schedule",
          schedule.name,
          [.init("paused", .bool(isPaused), .bool(schedule.isPaused))],
          path: place,
          do: schedule.isPaused ? .pauseSchedule(schedule.name) : .resumeSchedule(schedule.name)
        )
      )
    }
  }
}
