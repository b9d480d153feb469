internal import Apps
internal import Demo

/// The trips of one company's members.
struct TripsShare: DemoShare {
  let share: TripsMemberShare

  func memberRows(_ members: Int) -> Int { share.rows }

  func members(_ appetites: [Double]) -> [any DemoMemberShare] {
    let plans = DemoShares.deal(share.plans, appetites)
    let talks = DemoShares.deal(share.conversations, appetites)
    // Stops require a plan, and messages a conversation.
    let stops = DemoShares.deal(share.stops, along: plans)
    let messages = DemoShares.deal(share.messages, along: talks)
    return appetites.indices.map { place in
      TripsMemberShare(
        plans: plans[place],
        stops: stops[place],
        conversations: talks[place],
        messages: messages[place]
      )
    }
  }
}

/// The trips of one member: conversations with messages, and plans with stops.
struct TripsMemberShare: DemoMemberShare {
  let plans: Int
  let stops: Int
  let conversations: Int
  let messages: Int

  var rows: Int { plans + stops + conversations + messages }

  func load(_ context: DemoContext, of member: DemoTenant.Member, place: Int) throws -> Int {
    try TripsLoad(context: context, owner: member, place: place, counts: self).run()
  }
}
