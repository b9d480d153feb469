extension ProvisioningPlanner {
  /// Plans the apps of an existing company. A new company is created with its apps.
  func apps(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan,
    _ removals: inout [ProvisioningStep]
  ) {
    guard let apps = wanted.apps?.enabled, let current else { return }
    let enabled = current.apps?.enabled ?? []
    for app in apps {
      if enabled.contains(app) {
        plan.unchanged.append(("app", app))
      } else {
        plan.steps.append(ProvisioningStep(.created, "app", app, path: "\(path).apps", do: .enableApp(app)))
      }
    }
    for app in enabled where !apps.contains(app) {
      if prunes {
        removals.append(ProvisioningStep(.removed, "app", app, do: .disableApp(app)))
      } else {
        plan.extra.append(("app", app))
      }
    }
  }

  /// Plans the number formats. Every numbered type has one, so none is removed.
  func numbers(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan
  ) throws {
    for number in wanted.numbers ?? [] {
      let place = "\(path).numbers.\(number.type)"
      try types.requireNumbers(number.type, at: place)
      let before = current?.numbers?.first { $0.type == number.type }?.format
      guard before != number.format else {
        plan.unchanged.append(("numbers", number.type))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          .changed,
          "numbers",
          number.type,
          [.init("format", before.map { .string($0.text) }, .string(number.format.text))],
          path: place,
          do: .setNumberFormat(number)
        )
      )
    }
  }
}
