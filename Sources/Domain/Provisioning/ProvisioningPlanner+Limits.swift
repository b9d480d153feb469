extension ProvisioningPlanner {
  /// Plans the quotas, compared by record type. Quotas are raised before records are created.
  ///
  /// - Returns: the steps that create or lower quotas, to be taken after the records.
  func quotas(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) throws -> [ProvisioningStep] {
    guard let quotas = wanted.quotas else { return [] }
    var later: [ProvisioningStep] = []
    var left = Dictionary((current?.quotas ?? []).map { ($0.type, $0.maximum) }) { first, _ in first }
    for quota in quotas {
      let place = "\(path).quotas.\(quota.type)"
      let before = left.removeValue(forKey: quota.type)
      if before == nil, !QuotaState.others.contains(quota.type) {
        try types.requireKnown(quota.type, at: place)
      }
      guard before != quota.maximum else {
        plan.unchanged.append(("quota", quota.type))
        continue
      }
      let step = ProvisioningStep(
        before == nil ? .created : .changed,
        "quota",
        quota.type,
        [.init("records", before.map { .integer($0) }, .integer(quota.maximum))],
        path: place,
        do: .setQuota(type: quota.type, maximum: quota.maximum)
      )
      if let before, quota.maximum > before { plan.steps.append(step) } else { later.append(step) }
    }
    for (type, maximum) in left.sorted(by: { $0.key < $1.key }) {
      guard prunes else {
        plan.extra.append(("quota", type))
        continue
      }
      removals.append(
        ProvisioningStep(
          .removed,
          "quota",
          type,
          [.init("records", .integer(maximum), nil)],
          do: .setQuota(type: type, maximum: nil)
        )
      )
    }
    return later
  }

  /// Plans the limits on jobs, compared by queue and kind.
  func queueLimits(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) {
    guard let limits = wanted.queueLimits else { return }
    var left = Dictionary((current?.queueLimits ?? []).map { ($0.text, $0) }) { first, _ in first }
    for (index, limit) in limits.enumerated() {
      let before = left.removeValue(forKey: limit.text)
      guard before != limit else {
        plan.unchanged.append(("queue limit", limit.text))
        continue
      }
      var facts: [ProvisioningStep.Difference] = []
      if before?.running != limit.running {
        let values: [JSONValue] = [before?.running, limit.running].map { $0.map { .integer($0) } ?? .null }
        facts.append(.init("running", before.map { _ in values[0] }, values[1]))
      }
      if before?.rate != limit.rate {
        let values: [JSONValue] = [before?.rate, limit.rate].map { $0.map { .string($0.text) } ?? .null }
        facts.append(.init("rate", before.map { _ in values[0] }, values[1]))
      }
      plan.steps.append(
        ProvisioningStep(
          before == nil ? .created : .changed,
          "queue limit",
          limit.text,
          facts,
          path: "\(path).queue_limits[\(index)]",
          do: .limitQueue(limit)
        )
      )
    }
    for limit in left.values.sorted(by: { $0.text < $1.text }) {
      guard prunes else {
        plan.extra.append(("queue limit", limit.text))
        continue
      }
      removals.append(ProvisioningStep(.removed, "queue limit", limit.text, do: .unlimitQueue(limit)))
    }
  }

  /// Plans the workflow versions. A company always uses one version of a workflow, so none is removed.
  func workflows(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan
  ) throws {
    for choice in wanted.workflows ?? [] {
      let place = "\(path).workflows.\(choice.type)"
      let before = current?.workflows?.first { $0.type == choice.type }?.version
      if before == nil { try types.requireWorkflow(choice.type, at: place) }
      guard before != choice.version else {
        plan.unchanged.append(("workflow", choice.type))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          .changed,
          "workflow",
          choice.type,
          [.init("version", before.map { .integer($0) }, .integer(choice.version))],
          path: place,
          do: .followWorkflow(choice)
        )
      )
    }
  }
}
