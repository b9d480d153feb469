internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Secrets

/// Demo data of the trips app.
struct TripsDemo: AppDemo {
  let app = "trips"

  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare] {
    let total: (plans: Int, stops: Int, conversations: Int, messages: Int) =
      switch request.scale {
      case .S: (3, 15, 5, 60)
      case .M: (300, 2_400, 600, 9_000)
      case .L: (50_000, 400_000, 100_000, 2_000_000)
      }
    let plans = companies.deal(total.plans)
    let talks = companies.deal(total.conversations)
    let stops = DemoShares.deal(total.stops, along: plans)
    let messages = DemoShares.deal(total.messages, along: talks)
    return plans.indices.map { index in
      TripsShare(
        share: TripsMemberShare(
          plans: plans[index],
          stops: stops[index],
          conversations: talks[index],
          messages: messages[index]
        )
      )
    }
  }

  func rows(_ stage: DemoStage) -> [DemoRows] {
    [
      DemoRows("trips.plan", isPrivate: true, [plan(stage)]),
      DemoRows("trips.stop", isPrivate: true, stops(stage)),
    ]
  }

  private func plan(_ stage: DemoStage) -> DemoRow {
    DemoRow(
      id: stage.id("trips.plan", 0),
      status: "active",
      fields: [
        ("title", "Five days in Lofoten"), ("destination", "Lofoten"), ("lat", "68.209"), ("lon", "13.609"),
        ("starts_on", stage.today.adding(days: -1).description),
        ("ends_on", stage.today.adding(days: 3).description),
        ("summary", "Low sun over the fjords; wait for the blue hour in Reine."),
      ],
      moving: ["starts_on", "ends_on"]
    )
  }

  private func stops(_ stage: DemoStage) -> [DemoRow] {
    let places = [
      ("Reine harbour", "blue_hour"), ("Reinebringen", "sunrise"), ("Haukland beach", "golden_pm"),
      ("Henningsvær", "day"), ("Gimsøya church", "golden_am"),
    ]
    return places.enumerated().map { index, place in
      DemoRow(
        id: stage.id("trips.stop", index),
        fields: [
          ("plan_id", stage.id("trips.plan", 0).text), ("day_no", "\(index + 1)"), ("position", "0"),
          ("name", place.0),
          ("best_light", place.1),
        ]
      )
    }
  }
}
