/// The value that a company has for a setting of an app.
package struct SettingState: Sendable, Hashable {
  /// The setting, such as `maintenance.overlapping_hours`.
  package let name: String
  package let value: String
  /// True if the value is the one of every company that has not chosen.
  package let isDefault: Bool

  package init(name: String, value: String, isDefault: Bool = false) {
    self.name = name
    self.value = value
    self.isDefault = isDefault
  }
}

/// The `settings:` of a company: a mapping from settings to values.
struct SettingTexts: Decodable {
  let settings: [SettingState]

  init(from decoder: any Decoder) throws {
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    settings = try mapping.allKeys.map { key in
      SettingState(name: key.stringValue, value: try mapping.decode(String.self, forKey: key))
    }
  }
}

extension ProvisioningPlanner {
  /// Plans the settings. Every setting has a value, so none is removed.
  func settings(
    _ wanted: CompanyState,
    _ current: CompanyState?,
    _ path: String,
    _ plan: inout CompanyPlan
  ) {
    for setting in wanted.settings ?? [] {
      let before = current?.settings?.first { $0.name == setting.name }?.value
      guard before != setting.value else {
        plan.unchanged.append(("setting", setting.name))
        continue
      }
      plan.steps.append(
        ProvisioningStep(
          .changed,
          "setting",
          setting.name,
          [.init("value", before.map { .string($0) }, .string(setting.value))],
          path: "\(path).settings.\(setting.name)",
          do: .chooseSetting(setting)
        )
      )
    }
  }
}
