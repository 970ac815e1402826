/* @SIMULATION@: a peer of a match over a network.

   Written by samebits. A peer predicts the frames whose inputs it does not know yet and plays them
   again when it does, so that every peer of a match, in whatever language, has the same states:
   a hash of each final frame goes to the relay, which compares them.

   Messages go in and out as bytes: the program carries them over a connection that keeps their
   order and loses none, such as a WebSocket, one message each. A peer opens no socket, reads no
   clock, allocates nothing and calls nothing back. What comes from the network is checked: bytes
   that break the protocol end the peer with the event @GUARD@_PEER_BROKEN, and touch nothing else.
   One thread at a time may use a peer.

   The usual order, after @NAME@_peer_open and a connection to the relay: @NAME@_peer_receive for
   each message that came, @NAME@_peer_tick with the player's input of now, then @NAME@_peer_send
   until it gives 0, @NAME@_peer_next_event until it gives 0, and @NAME@_peer_state to draw. Wait
   for a message, or until the time that @NAME@_peer_tick returned, and begin again. */

#ifndef SAMEBITS_@GUARD@_PEER_H
#define SAMEBITS_@GUARD@_PEER_H

#include "@NAME@.h"

#ifdef __cplusplus
extern "C" {
#endif

#define @GUARD@_PEER_PROTOCOL @PROTOCOL@
#define @GUARD@_PEER_MESSAGE ((size_t)@MESSAGE@) /* the most bytes of a message that comes */
#define @GUARD@_PEER_NEVER INT64_MAX

/* Bytes of memory of a peer that predicts up to `window` frames and keeps `kept` final ones: a
   constant where they are, of 64 bits, since it may be more than there is. */
#define @GUARD@_PEER_BYTES(window, kept)                                                        \
    ((uint64_t)@PEER_PARTS@ + @GUARD@_PEER_REPORT_BYTES +\
     ((uint64_t)(window) + 1) * ((uint64_t)@STATE_PITCH@ + @FRAME_PITCH@) +   \
     ((uint64_t)(window) + (uint64_t)(kept) + @PEER_AHEAD@) * ((uint64_t)@FRAME_PITCH@ + 8))

/* Bytes that are enough for @NAME@_peer_report. */
#define @GUARD@_PEER_REPORT_BYTES @GUARD@_REPORT_BYTES(@REPORT_SPAN@, 3)

typedef struct @NAME@_peer @NAME@_peer;

/* Where a peer is in the conversation with its relay. */
enum {
    @GUARD@_PEER_GREETING, /* it said hello, and waits for the answer */
    @GUARD@_PEER_LOADING,  /* a state comes */
    @GUARD@_PEER_READY,    /* it waits for the start */
    @GUARD@_PEER_PLAYING,
    @GUARD@_PEER_PAUSED,
    @GUARD@_PEER_OVER
};

/* What happened, and which members of an event tell of it, beside `frame`. */
enum {
    @GUARD@_PEER_JOINED = 1,  /* `slot` is played from `frame` on */
    @GUARD@_PEER_LEFT,        /* `slot` is empty from `frame` on: its inputs are zeros */
    @GUARD@_PEER_AWAY,        /* the connection of `slot` is gone: its inputs are made up */
    @GUARD@_PEER_SUBSTITUTED, /* the inputs of `slots` came too late for `frame` */
    @GUARD@_PEER_STARTED,     /* frames close from `frame` on */
    @GUARD@_PEER_STOPPED,     /* a pause: no frame closes from `frame` on */
    @GUARD@_PEER_DELAYED,     /* the input delay of `slot` is `value` frames */
    @GUARD@_PEER_DESYNCED,    /* states differ after `frame`; `groups` has who has which hash, and
                                 `slots` who departed, 0 where that is not decided */
    @GUARD@_PEER_VERDICT,     /* `text` says why states differed after `frame` */
    @GUARD@_PEER_TRAPPED,     /* trap `value` ended `frame`, on every machine */
    @GUARD@_PEER_REFUSED,     /* `text`: the relay has no place; `code`, `ours`, `theirs` */
    @GUARD@_PEER_ENDED,       /* the match is over after `frame` frames, the last hash is `value`:
                                 `text` */
    @GUARD@_PEER_BROKEN       /* the conversation is over: `text` says what was wrong */
};

/* Some slots, one bit each, and the hash that their states have. */
typedef struct @NAME@_peer_group {
    uint64_t hash, slots;
    int32_t referee; /* 1 where the relay's own run has it too */
} @NAME@_peer_group;

typedef struct @NAME@_peer_event {
    int32_t what; /* one of the above */
    int32_t slot;
    uint64_t frame, value, slots;
    /* UTF-8, "" where there is none; they and `groups` hold until the next @NAME@_peer_receive. */
    const char *text, *code, *ours, *theirs;
    const @NAME@_peer_group *groups;
    size_t count; /* of `groups` */
} @NAME@_peer_event;

typedef struct @NAME@_peer_options {
    const char *ticket; /* from whoever made the match, at most @TICKET@ bytes */
    size_t window;      /* frames that are predicted at most, up to @MOST_WINDOW@; 0: none, lockstep */
    size_t kept;        /* final frames that are kept, up to 36,000: reports tell of them */
    int32_t spectator;  /* not 0: watch, and send no input */
    int32_t least_delay; /* frames from a tick to the frame of its input at least, up to @AHEAD@ */
    const char *machine; /* which device this is: see @NAME@_history */
} @NAME@_peer_options;

typedef struct @NAME@_peer_status {
    int32_t phase;    /* @GUARD@_PEER_GREETING and so on */
    int32_t slot;     /* the own one; -1 before it is known, @PLAYERS@ for a spectator */
    uint64_t players; /* the slots that are played, one bit each */
    uint64_t seed;
    uint64_t frame;     /* how many frames were played, predicted ones included */
    uint64_t confirmed; /* how many frames have final inputs */
    uint64_t final;     /* how many of those were played */
    uint64_t delay;     /* frames from a tick to the frame of its input */
    int64_t rtt;        /* the median round trip in nanoseconds, 0 if unknown */
    uint64_t stalls;    /* ticks at which nothing new could be shown */
    uint64_t rollbacks, replayed, deepest; /* how often frames were played again, how many, at once */
    uint64_t restores, restored; /* how often a state came from the relay, the latest before frame */
    uint64_t lost;      /* events that were left out, since nobody took them */
} @NAME@_peer_status;

/* Make a peer in `size` bytes of memory of any contents, @GUARD@_PEER_BYTES of the options' window and
   kept frames at least. The options are copied. Returns the peer, which lies in that memory and is
   over when that is, or NULL where the options cannot be or the memory is not enough. */
@GUARD@_API @NAME@_peer *@NAME@_peer_open(void *memory, size_t size,
                                          const @NAME@_peer_options *options);

/* A message came, at a time of any clock in nanoseconds that never goes back. */
@GUARD@_API void @NAME@_peer_receive(@NAME@_peer *peer, int64_t now, const uint8_t *message,
                                     size_t size);

/* Do what is due. `input` is what the player does now, NULL for nothing. Returns the time at which to
   call again at the latest, @GUARD@_PEER_NEVER when the conversation is over. */
@GUARD@_API int64_t @NAME@_peer_tick(@NAME@_peer *peer, int64_t now, const @INPUT@ *input);

/* The next message to send: its size, and where it is, until the next call for this peer. 0 where
   there is none. */
@GUARD@_API size_t @NAME@_peer_send(@NAME@_peer *peer, const uint8_t **message);

/* The next event; 0 where there is none. Up to @EVENTS@ wait to be taken. */
@GUARD@_API int32_t @NAME@_peer_next_event(@NAME@_peer *peer, @NAME@_peer_event *event);

/* The latest state, predicted or not, to draw, until the next call; NULL before there is one. */
@GUARD@_API const @STATE@ *@NAME@_peer_state(const @NAME@_peer *peer);

@GUARD@_API void @NAME@_peer_get_status(const @NAME@_peer *peer, @NAME@_peer_status *status);

/* The hash after a final frame; 0 where it is not kept or not final, else 1. */
@GUARD@_API int32_t @NAME@_peer_hash(const @NAME@_peer *peer, uint64_t frame, uint64_t *hash);

/* All players' inputs of a frame whose inputs are final; 0 where they are not kept or not final. */
@GUARD@_API int32_t @NAME@_peer_inputs(const @NAME@_peer *peer, uint64_t frame,
                                       @INPUT@ inputs[@PLAYERS@]);

/* There is a new connection: say hello again, with what brings this peer back to its slot. Nothing
   happens where the conversation is over. */
@GUARD@_API void @NAME@_peer_reconnect(@NAME@_peer *peer);

/* What brings this peer back to its slot, also from another program: its size, and the bytes in
   `token`; 0 before the relay gave one. It changes with each connection. Who has it has the slot. */
@GUARD@_API size_t @NAME@_peer_token(const @NAME@_peer *peer, uint8_t token[@MOST_RESUME@]);

/* Before the first tick: come back with the token of a peer that is gone, in place of a ticket. 0 where
   that is none, or too late. */
@GUARD@_API int32_t @NAME@_peer_come_back(@NAME@_peer *peer, const uint8_t *token, size_t size);

/* Ask for a pause, for its end, or leave for good: it is in the messages after the next tick. */
@GUARD@_API void @NAME@_peer_pause(@NAME@_peer *peer);
@GUARD@_API void @NAME@_peer_go_on(@NAME@_peer *peer);
@GUARD@_API void @NAME@_peer_leave(@NAME@_peer *peer);

/* Write a desync report that shows final frame `frame`, and what is kept around it, as relays get it
   when they ask, into `room` bytes, @GUARD@_PEER_REPORT_BYTES at least. Returns its size, or 0 where
   the frame is not kept or the room is not enough. */
@GUARD@_API size_t @NAME@_peer_report(@NAME@_peer *peer, uint64_t frame, uint8_t *bytes,
                                      size_t room);

#ifdef __cplusplus
}
#endif

#endif
