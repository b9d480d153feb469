internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Store

/// Demo data of the macros app.
struct MacrosDemo: AppDemo {
  let app = "macros"

  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare] {
    let meals =
      switch request.scale {
      case .S: 120
      case .M: 60_000
      case .L: 9_000_000
      }
    return companies.deal(meals).map { MacrosShare(meals: $0) }
  }

  func rows(_ stage: DemoStage) -> [DemoRows] {
    [
      DemoRows("macros.profile", isPrivate: true, [profile(stage)]),
      DemoRows("macros.goal", isPrivate: true, [goal(stage)]),
      DemoRows("macros.preset", isPrivate: true, presets(stage)),
      DemoRows("macros.entry", isPrivate: true, meals(stage)),
    ]
  }

  private func profile(_ stage: DemoStage) -> DemoRow {
    DemoRow(
      id: stage.id("macros.profile", 0),
      fields: [("display_name", "Guest"), ("timezone", stage.company.timeZone)]
    )
  }

  private func goal(_ stage: DemoStage) -> DemoRow {
    DemoRow(
      id: stage.id("macros.goal", 0),
      fields: [("protein_g", "120"), ("carbs_g", "220"), ("fat_g", "70"), ("effective_from", "2020-01-01")]
    )
  }

  private func presets(_ stage: DemoStage) -> [DemoRow] {
    [("Porridge", "12", "60", "8"), ("Chicken and rice", "42", "55", "12"), ("Shake", "30", "8", "3")]
      .enumerated().map {
        DemoRow(
          id: stage.id("macros.preset", $0),
          fields: [
            ("name", $1.0), ("protein_g", $1.1), ("carbs_g", $1.2), ("fat_g", $1.3), ("position", "\($0)"),
          ]
        )
      }
  }

  /// Returns three meals of today and four of each of the seven days before.
  private func meals(_ stage: DemoStage) -> [DemoRow] {
    (0...7).flatMap { ago in
      (0..<(ago == 0 ? 3 : 4)).map { meal in
        let day = stage.today.adding(days: -ago)
        return DemoRow(
          id: stage.id("macros.entry", ago * 10 + meal),
          fields: [
            ("protein_g", "\(24 + 6 * meal).\(ago)"), ("carbs_g", "\(50 - 7 * meal).5"),
            ("fat_g", "\(10 + 3 * meal)"),
            ("eaten_at", "\(day)T\(10 + 2 * meal):00:00Z"), ("local_date", day.description),
            ("note", MacrosWords.meals[(ago + meal) % MacrosWords.meals.count]),
          ],
          moving: ["eaten_at", "local_date"]
        )
      }
    }
  }
}
