// Objects that are passed and returned in registers, and by the address of a copy.
struct Node {
	Node *next;
	int n, m;
};

struct Position {
	Node *at;
};

struct Owner {
	Node *node;
	int kept;
	explicit Owner(Node *n) : node(n), kept(1) {}
	~Owner() { node->n = 0; }
};

extern "C" __attribute__((noinline)) Position first(Owner o)
{
	return Position{o.node->next};
}

extern "C" __attribute__((noinline)) Owner made(Position p)
{
	return Owner(p.at);
}

int main(int argc, char **)
{
	Node n = {nullptr, argc, 2};
	n.next = &n;
	return made(first(Owner(&n))).kept;
}
